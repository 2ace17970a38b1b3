import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { NetworkLink } from "../references/network-link.tsx";
import { networkQuery } from "../references/networks.queries.ts";
import { RoleLink } from "../references/role-link.tsx";
import { useRoleName } from "../references/roles.queries.ts";
import { TagChips } from "../references/tag-chips.tsx";
import { Card } from "../ui/pages/card.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";

export function IdentityCard({ host }: { host: HostV2 }) {
  const { data: network } = useQuery(networkQuery(host.networkID));
  const roleName = useRoleName(host.roleID);
  const addresses = host.ipAddresses.join(", ");
  return (
    <Card title="Identity" padded={false}>
      <KeyValueList>
        <KeyValue label={host.ipAddresses.length > 1 ? "Addresses" : "Address"} mono copy={addresses}>
          {addresses}
        </KeyValue>
        <KeyValue label="Network">
          {network ? <NetworkLink network={network} /> : <code>{host.networkID}</code>}
        </KeyValue>
        <KeyValue label="Role">
          {host.roleID === null ? (
            "No role (only tag rules apply)"
          ) : (
            <RoleLink role={{ id: host.roleID, name: roleName ?? host.roleID }} />
          )}
        </KeyValue>
        <KeyValue label="Tags">
          {host.tags.length > 0 ? <TagChips tags={host.tags} links /> : "None"}
        </KeyValue>
        <KeyValue label="Host ID" mono copy={host.id}>
          {host.id}
        </KeyValue>
        <KeyValue label="Created">
          <Time at={host.createdAt} absolute />
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

export function ConnectivityCard({ host: { staticAddresses, listenPort } }: { host: HostV2 }) {
  return (
    <Card title="Connectivity" padded={false}>
      <KeyValueList>
        {staticAddresses.length === 0 ? (
          <KeyValue label="Static addresses">None (discovered through lighthouses)</KeyValue>
        ) : (
          staticAddresses.map((address, index) => (
            <KeyValue
              key={address}
              label={staticAddresses.length > 1 ? `Static address ${index + 1}` : "Static address"}
              mono
              copy={address}
            >
              {address}
            </KeyValue>
          ))
        )}
        <KeyValue label="Listens on">
          {listenPort === 0 ? "Random UDP port" : `UDP port ${listenPort}`}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

const agentNames: Readonly<Record<string, string>> = {
  "lightkeeper-agent": "Lightkeeper agent",
  mobile: "Mobile Nebula",
};

export function AgentCard({ host: { metadata } }: { host: HostV2 }) {
  const { agent, version, updateAvailable, lastSeenAt } = metadata;
  const agentLabel =
    agent && `${agentNames[agent.name] ?? agent.name} ${agent.version ?? version ?? ""}`.trim();
  return (
    <Card title="Agent" padded={false}>
      <KeyValueList>
        <KeyValue label="Agent">
          {agentLabel ?? "Never connected"}
          {updateAvailable && " · update available"}
        </KeyValue>
        <KeyValue label="Nebula">{agent?.nebulaVersion ?? "Unknown"}</KeyValue>
        <KeyValue label="Last seen">{lastSeenAt ? <Time at={lastSeenAt} past /> : "Never"}</KeyValue>
      </KeyValueList>
    </Card>
  );
}
