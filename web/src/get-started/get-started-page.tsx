import { RequestError, type Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { messageOf } from "../lib/errors.ts";
import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { networkCountQuery } from "../networks/networks.queries.ts";
import { Checklist } from "./checklist.tsx";
import { FirstNetworkForm } from "./first-network-form.tsx";
import styles from "./get-started.module.css";

export function Component() {
  usePageTitle("Get started");
  const { data, error, isFetching, refetch } = useQuery(networkCountQuery);
  return (
    <div className={styles.page}>
      {data ? (
        <Step network={data.data[0]} />
      ) : error ? (
        <>
          <h1 className={styles.heading}>Get started</h1>
          <ErrorState
            message={messageOf(error)}
            requestID={error instanceof RequestError ? error.requestID : undefined}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        </>
      ) : (
        <Spinner delayed />
      )}
    </div>
  );
}

function Step({ network }: { network: Network | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const hadNone = useRef(!network);
  useEffect(() => {
    if (network && hadNone.current) heading.current?.focus();
  }, [network]);
  return (
    <>
      <div>
        <h1 ref={heading} tabIndex={-1} className={styles.heading}>
          {network ? "What comes next" : "Create your first network"}
        </h1>
        <p className={styles.lead}>
          {network
            ? "Your network is there. These steps make it useful, in this order."
            : "A network is a range of private addresses that your machines share, wherever they are."}
        </p>
      </div>
      {network ? (
        <>
          <Checklist network={network} />
          <LinkButton to="/settings/networks" variant="primary" size="large">
            Go to networks
          </LinkButton>
        </>
      ) : (
        <FirstNetworkForm />
      )}
    </>
  );
}
