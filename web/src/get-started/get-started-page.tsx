import { RequestError, type NetworkV2 } from "@lightkeeper/contract";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef, type RefObject } from "react";
import { messageOf } from "../lib/errors.ts";
import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { networkCountQuery } from "../references/networks.queries.ts";
import { Checklist } from "./checklist.tsx";
import { FirstNetworkForm } from "./first-network-form.tsx";
import { isComplete, progressQuery } from "./get-started.queries.ts";
import { LargeHeading } from "../ui/on-demand/large-heading.tsx";
import styles from "./get-started.module.css";

export function GetStartedPage() {
  usePageTitle("Get started");
  const networks = useQuery(networkCountQuery);
  const network = networks.data?.data[0];
  const hadNone = useRef(false);
  useEffect(() => {
    if (networks.data && !network) hadNone.current = true;
  }, [networks.data, network]);
  return (
    <div className={styles.page}>
      {networks.data ? (
        network ? (
          <Progress network={network} hadNone={hadNone} />
        ) : (
          <CreateFirstNetwork />
        )
      ) : (
        <LoadingOrError query={networks} />
      )}
    </div>
  );
}

interface LoadingOrErrorProps {
  query: Pick<UseQueryResult, "error" | "isFetching" | "refetch">;
}

function LoadingOrError({ query: { error, isFetching, refetch } }: LoadingOrErrorProps) {
  if (!error) return <Spinner delayed />;
  return (
    <>
      <LargeHeading title="Get started" />
      <ErrorState
        message={messageOf(error)}
        requestID={error instanceof RequestError ? error.requestID : undefined}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    </>
  );
}

function CreateFirstNetwork() {
  return (
    <>
      <LargeHeading
        title="Create your first network"
        lead="A network gives your machines private IP addresses and connects them, wherever they are."
      />
      <FirstNetworkForm />
    </>
  );
}

interface ProgressProps {
  network: NetworkV2;
  hadNone: RefObject<boolean>;
}

function Progress({ network, hadNone }: ProgressProps) {
  const progress = useQuery(progressQuery);
  const heading = useRef<HTMLHeadingElement>(null);
  const isShown = progress.data !== undefined;
  // After creating the network, the focused form is gone.
  useEffect(() => {
    if (isShown && hadNone.current) heading.current?.focus();
  }, [isShown, hadNone]);
  if (!progress.data) return <LoadingOrError query={progress} />;
  const isDone = isComplete(progress.data);
  return (
    <>
      <LargeHeading
        ref={heading}
        title={isDone ? "Your network is up" : "Set up your network"}
        lead={
          isDone ? (
            "Your hosts are connected. Next, control access with roles, tags and routes."
          ) : (
            <>
              <bdi>{network.name}</bdi> is ready. Finish these steps to connect your first two hosts. Each is
              checked off automatically.
            </>
          )
        }
      />
      <Checklist network={network} progress={progress.data} />
      <div className={styles.actions}>
        <LinkButton to="/hosts" variant={isDone ? "primary" : "default"} size="large">
          Go to hosts
        </LinkButton>
        <LinkButton to="/settings/networks" variant="quiet" size="large">
          Go to networks
        </LinkButton>
      </div>
    </>
  );
}
