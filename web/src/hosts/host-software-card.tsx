import type { HostState, HostV2 } from "@lightkeeper/contract";
import { findVulnerabilities, type Vulnerability } from "@lightkeeper/nebula";
import { useQuery } from "@tanstack/react-query";
import { networkQuery } from "../references/networks.queries.ts";
import { Notice } from "../ui/feedback/notice.tsx";
import { Card } from "../ui/pages/card.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import { NotReported } from "./not-reported.tsx";
import { addressFamilyOf } from "../lib/address-family.ts";
import styles from "./host-page.module.css";

const agentNames: Readonly<Record<string, string>> = {
  "lightkeeper-agent": "Lightkeeper agent",
  mobile: "Mobile Nebula",
};

function agentLabel({ agent, version }: HostV2["metadata"]): string {
  if (!agent) return "Never connected";
  return `${agentNames[agent.name] ?? agent.name} ${agent.version ?? version ?? ""}`.trim();
}

function useVulnerabilities(host: HostV2, state: HostState | undefined): Vulnerability[] {
  const { data: network } = useQuery(networkQuery(host.networkID));
  const nebulaVersion = state?.nebulaVersion;
  if (!network || !nebulaVersion) return [];
  return findVulnerabilities({
    nebulaVersion,
    curve: network.curve,
    servesRoutes: (state?.routesServed.length ?? 0) > 0,
    hasIPv6Address: host.ipAddresses.some((address) => addressFamilyOf(address) === "IPv6"),
  });
}

/** The versions of the agent and of Nebula, and what is known to be wrong with them. */
export function SoftwareCard({ host, state }: { host: HostV2; state: HostState | undefined }) {
  const { metadata } = host;
  const version = state?.nebulaVersion ?? metadata.agent?.nebulaVersion ?? null;
  const vulnerabilities = useVulnerabilities(host, state);
  const affecting = vulnerabilities.filter(({ isAffected }) => isAffected);
  const others = vulnerabilities.filter(({ isAffected }) => !isAffected);
  return (
    <Card title="Software" padded={false}>
      {affecting.map(({ id, title, fixedIn, reason }) => (
        <div key={id} className={styles.notice}>
          <Notice tone="warn">
            <b>Nebula {version} has a known vulnerability.</b> {id}: {title}. {reason} Update Nebula to{" "}
            {fixedIn} or newer.
          </Notice>
        </div>
      ))}
      <KeyValueList>
        <KeyValue label="Agent">
          {agentLabel(metadata)}
          {metadata.updateAvailable && " · update available"}
        </KeyValue>
        <KeyValue label="Nebula">
          {version ?? <NotReported host={host} />}
          {others.map(({ id, fixedIn, reason }) => (
            <span key={id} className={styles.vulnerability}>
              {id} doesn’t affect this host: {reason} Fixed in {fixedIn}.
            </span>
          ))}
        </KeyValue>
        <KeyValue label="Last seen">
          {metadata.lastSeenAt ? <Time at={metadata.lastSeenAt} past /> : "Never"}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}
