import type { HostV2 } from "@lightkeeper/contract";
import { NameLink } from "../ui/text/name-link.tsx";

export type HostKind = "host" | "lighthouse" | "relay";
type HostFlags = Pick<HostV2, "isLighthouse" | "isRelay">;

/** Hosts, lighthouses and relays are one entity with three paths. */
export const hostKinds = {
  host: { label: "Hosts", path: "/hosts" },
  lighthouse: { label: "Lighthouses", path: "/lighthouses" },
  relay: { label: "Relays", path: "/relays" },
} as const satisfies Record<HostKind, { label: string; path: string }>;

export const kindOf = ({ isLighthouse, isRelay }: HostFlags): HostKind =>
  isLighthouse ? "lighthouse" : isRelay ? "relay" : "host";

export const hostPath = (host: HostFlags & Pick<HostV2, "id">): string =>
  `${hostKinds[kindOf(host)].path}/${encodeURIComponent(host.id)}`;

/** The breadcrumbs of a host's pages. */
export const hostCrumbs = (host: HostFlags) => {
  const { label, path } = hostKinds[kindOf(host)];
  return [{ label, to: path }];
};

export function HostLink({ host }: { host: HostFlags & Pick<HostV2, "id" | "name"> }) {
  return <NameLink to={hostPath(host)}>{host.name}</NameLink>;
}
