import type { HostAccess as HostAccessData, HostV2 } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { useOutletContext } from "react-router";
import { formatCount, formatNumber } from "../lib/format.ts";
import { failureOf } from "../lib/list-page.ts";
import { useListState } from "../lib/list-state.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { accessFromPath } from "../references/access-paths.ts";
import { hostPath } from "../references/host-link.tsx";
import { trafficLabel } from "../rules/traffic-labels.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { SearchInput } from "../ui/controls/search-input.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Toolbar } from "../ui/tables/toolbar.tsx";
import { hostAccessQuery } from "./access.queries.ts";
import styles from "./host-access.module.css";
import { ReachCard } from "./reach-card.tsx";
import { ReachItem } from "./reach-item.tsx";

/** A tab of a host's page: who can reach the host, and what the host can reach. */
export function HostAccess() {
  const host = useOutletContext<HostV2>();
  const { search, setSearch, query: listQuery } = useListState();
  const query = useQuery({
    ...hostAccessQuery(host.id, listQuery["filter.search"] ?? ""),
    placeholderData: keepPreviousData,
  });
  const { data, error, isFetching, refetch } = query;
  const content = useRef<HTMLDivElement>(null);
  useShortcut("/", "Search", () =>
    content.current?.querySelector<HTMLElement>("input[type=search]")?.focus(),
  );
  if (!data)
    return (
      <Card title="Access" padded={false}>
        {error ? (
          <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <SkeletonRows rows={8} />
        )}
      </Card>
    );
  if (data.failedCheck) return <NoTunnels host={host} access={data} />;
  return (
    <div ref={content}>
      <Toolbar end={<CheckAccessLink host={host} />}>
        <SearchInput label="Search hosts, roles, tags or ports" value={search} onChange={setSearch} />
      </Toolbar>
      <div aria-busy={isFetching} className={styles.access}>
        <BlastRadius access={data} />
        <Directions access={data} isSearching={search.trim() !== ""} />
      </div>
    </div>
  );
}

function CheckAccessLink({ host }: { host: HostV2 }) {
  return <LinkButton to={accessFromPath(host)}>Check access…</LinkButton>;
}

type Reason = NonNullable<HostAccessData["failedCheck"]>["kind"];

const reasons: Readonly<Partial<Record<Reason, (at: string) => { text: ReactNode; action?: ReactNode }>>> = {
  notEnrolled: (at) => ({
    text: "This host isn’t enrolled, so no host can reach it and it can’t reach any host.",
    action: (
      <LinkButton writes size="small" to={`${at}/enroll`}>
        Enroll
      </LinkButton>
    ),
  }),
  blocked: (at) => ({
    text: "This host is blocked, so no host can reach it and it can’t reach any host.",
    action: (
      <LinkButton writes size="small" to={`${at}/unblock`}>
        Unblock
      </LinkButton>
    ),
  }),
  expired: () => ({
    text: "The certificate of this host has expired, so no host can reach it and it can’t reach any host. Start its agent to renew the certificate.",
  }),
  untrustedCa: () => ({
    text: "Other hosts don’t trust the CA of this host, so no host can reach it and it can’t reach any host.",
  }),
};

function NoTunnels({ host, access: { failedCheck } }: { host: HostV2; access: HostAccessData }) {
  const reason = failedCheck && reasons[failedCheck.kind]?.(hostPath(host));
  return (
    <Notice tone="warn" actions={reason?.action}>
      {reason?.text ?? "This host can’t have tunnels to other hosts."}
    </Notice>
  );
}

/** What is at risk, because whoever controls a host can use everything that it reaches. */
function BlastRadius({ access: { blastRadius } }: { access: HostAccessData }) {
  const { hostCount, subnetCount } = blastRadius;
  const reached = [
    ...(hostCount > 0 ? [formatCount(hostCount, "host")] : []),
    ...(subnetCount > 0 ? [formatCount(subnetCount, "subnet")] : []),
  ];
  return (
    <p className={styles.blast}>
      If this host is stolen, whoever has it can reach <b>{reached.join(" and ") || "nothing"}</b>.
    </p>
  );
}

interface DirectionsProps {
  access: HostAccessData;
  isSearching: boolean;
}

function Directions({ access, isSearching }: DirectionsProps) {
  return (
    <div className={styles.directions}>
      <ReachCard
        title="Inbound"
        lead="Who can reach this host"
        reaches={access.inbound}
        groupCount={access.inboundGroupCount}
        hostCount={access.inboundHostCount}
        emptyText={isSearching ? "Nothing matches." : "No rule allows inbound traffic to this host."}
      />
      <div className={styles.column}>
        <ReachCard
          title="Outbound"
          lead="What this host can reach"
          reaches={access.outbound}
          groupCount={access.outboundGroupCount}
          hostCount={access.outboundHostCount}
          emptyText={isSearching ? "Nothing matches." : "No host accepts traffic from this host."}
        />
        {access.subnets.length > 0 && <Subnets access={access} />}
      </div>
    </div>
  );
}

function Subnets({ access }: { access: HostAccessData }) {
  return (
    <Card title={`Subnets · ${formatNumber(access.subnets.length)}`} padded={false}>
      <ul className={styles.list}>
        {access.subnets.map(({ subnet, traffic, rules }) => (
          <ReachItem
            key={subnet.cidr}
            name={subnet.cidr}
            details={subnet.except.length > 0 ? `except ${subnet.except.join(", ")}` : ""}
            traffic={trafficLabel(traffic)}
            rules={rules}
          />
        ))}
      </ul>
    </Card>
  );
}
