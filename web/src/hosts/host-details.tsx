import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { failureOf } from "../lib/list-page.ts";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";
import { ConnectivityCard, IdentityCard } from "./host-info-cards.tsx";
import { RoutesCard } from "./host-routes-card.tsx";
import { RulesCard } from "./host-rules-card.tsx";
import { SoftwareCard } from "./host-software-card.tsx";
import { CertificateCard, ConfigurationCard, OmissionsNotice } from "./host-state-cards.tsx";
import { hostStateQuery } from "./host-state.queries.ts";
import { TrafficCard } from "./host-traffic-card.tsx";
import { TunnelsCard } from "./host-tunnels-card.tsx";
import styles from "./host-page.module.css";

/** The cards of a host's overview. */
export function HostDetails({ host }: { host: HostV2 }) {
  const { data: state } = useQuery(hostStateQuery(host.id));
  return (
    <div className={styles.overview}>
      <div className={styles.column}>
        {state && <RulesCard host={host} state={state} />}
        <TrafficCard host={host} />
        {state && <RoutesCard state={state} />}
        <ConnectivityCard host={host} state={state} />
      </div>
      <div className={styles.column}>
        <IdentityCard host={host} state={state} />
        <SoftwareCard host={host} state={state} />
        <StateCards host={host} />
      </div>
      {state && (
        <div className={styles.full}>
          <TunnelsCard host={host} state={state} />
        </div>
      )}
    </div>
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
      <CertificateCard host={host} state={state} />
    </>
  );
}
