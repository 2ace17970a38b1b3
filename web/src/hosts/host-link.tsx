import type { HostV2 } from "@lightkeeper/contract";
import { NameLink } from "../ui/text/name-link.tsx";

export type HostKind = "host" | "lighthouse" | "relay";
type Kinded = Pick<HostV2, "isLighthouse" | "isRelay">;

/** One entity under three addresses. */
export const hostKinds = {
  host: { label: "Hosts", path: "/hosts" },
  lighthouse: { label: "Lighthouses", path: "/lighthouses" },
  relay: { label: "Relays", path: "/relays" },
} as const satisfies Record<HostKind, { label: string; path: string }>;

export const kindOf = ({ isLighthouse, isRelay }: Kinded): HostKind =>
  isLighthouse ? "lighthouse" : isRelay ? "relay" : "host";

export const hostPath = (host: Kinded & Pick<HostV2, "id">): string =>
  `${hostKinds[kindOf(host)].path}/${encodeURIComponent(host.id)}`;

/** The way to a host's pages. */
export const hostCrumbs = (host: Kinded) => {
  const { label, path } = hostKinds[kindOf(host)];
  return [{ label, to: path }];
};

export function HostLink({ host }: { host: Kinded & Pick<HostV2, "id" | "name"> }) {
  return <NameLink to={hostPath(host)}>{host.name}</NameLink>;
}
