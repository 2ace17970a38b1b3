import type { HostState, HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { addressFamilyOf } from "../lib/address-family.ts";
import { NetworkLink } from "../references/network-link.tsx";
import { networkQuery } from "../references/networks.queries.ts";
import { RoleLink } from "../references/role-link.tsx";
import { useRoleName } from "../references/roles.queries.ts";
import { TagChips } from "../references/tag-chips.tsx";
import { Card } from "../ui/pages/card.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import { NoLiveValue, NotReported } from "./not-reported.tsx";

interface CardProps {
  host: HostV2;
  /** Undefined until it is known. */
  state: HostState | undefined;
}

/** "Debian GNU/Linux 12, kernel 6.8.0, amd64" */
const systemLabel = ({ os, kernel, arch }: NonNullable<HostState["system"]>) =>
  [os, ...(kernel === null ? [] : [`kernel ${kernel}`]), arch].join(", ");

export function IdentityCard({ host, state }: CardProps) {
  const { data: network } = useQuery(networkQuery(host.networkID));
  const roleName = useRoleName(host.roleID);
  return (
    <Card title="Identity" padded={false}>
      <KeyValueList>
        {host.ipAddresses.map((address) => (
          <CopyableKeyValue
            key={address}
            label={host.ipAddresses.length > 1 ? `${addressFamilyOf(address)} address` : "Address"}
            value={address}
          />
        ))}
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
        {state && (
          <KeyValue label="System">
            {state.system ? systemLabel(state.system) : <NotReported host={host} />}
          </KeyValue>
        )}
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

export function ConnectivityCard({ host, state }: CardProps) {
  const { staticAddresses, listenPort } = host;
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
        {state && <PublicEndpoints host={host} endpoints={state.publicEndpoints} />}
      </KeyValueList>
    </Card>
  );
}

/** The addresses under which other hosts reach this one. */
function PublicEndpoints({ host, endpoints }: { host: HostV2; endpoints: readonly string[] }) {
  if (endpoints.length === 0)
    return (
      <KeyValue label="Public endpoints">
        <NoLiveValue host={host} />
      </KeyValue>
    );
  return endpoints.map((endpoint, index) => (
    <KeyValue
      key={endpoint}
      label={endpoints.length > 1 ? `Public endpoint ${index + 1}` : "Public endpoint"}
      mono
      copy={endpoint}
    >
      {endpoint}
    </KeyValue>
  ));
}
