import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useOutletContext } from "react-router";
import { failureOf } from "../lib/list-page.ts";
import { Card } from "../ui/pages/card.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { AgentCard, IdentityCard, ConnectivityCard } from "./host-info-cards.tsx";
import { CertificateCard, OmissionsNotice, ConfigurationCard, TunnelsCard } from "./host-state-cards.tsx";
import { hostStateQuery } from "../references/hosts.queries.ts";
import styles from "./host-page.module.css";

export function HostOverview() {
  const host = useOutletContext<HostV2>();
  return (
    <>
      <div className={styles.overview}>
        <div className={styles.column}>
          <IdentityCard host={host} />
          <ConnectivityCard host={host} />
          <AgentCard host={host} />
        </div>
        <div className={styles.column}>
          <StateCards host={host} />
        </div>
      </div>
      <Outlet context={host} />
    </>
  );
}

function StateCards({ host }: { host: HostV2 }) {
  const { data: state, error, isFetching, refetch } = useQuery(hostStateQuery(host.id));
  if (!state)
    return (
      <Card title="Configuration" padded={false}>
        {error ? (
          <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <SkeletonRows rows={5} />
        )}
      </Card>
    );
  return (
    <>
      <ConfigurationCard host={host} state={state} />
      <OmissionsNotice state={state} />
      <CertificateCard state={state} />
      <TunnelsCard host={host} state={state} />
    </>
  );
}
