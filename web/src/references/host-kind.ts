import { useLocation } from "react-router";
import { hostKinds, type HostKind } from "./host-link.tsx";

interface KindDetails {
  /** "Add host" */
  noun: string;
  lead: string;
  /** The hint of the empty list. */
  emptyHint: string;
  /** The API fields that make a host of this kind. */
  flags: { isLighthouse: boolean; isRelay: boolean };
}

export const kindDetails: Readonly<Record<HostKind, KindDetails>> = {
  host: {
    noun: "host",
    lead: "Every machine on your networks, managed by the Lightkeeper agent.",
    emptyHint: "Add a host, then run one command on it to join the network.",
    flags: { isLighthouse: false, isRelay: false },
  },
  lighthouse: {
    noun: "lighthouse",
    lead: "Lighthouses help hosts find each other. Each needs a public address that every host can reach.",
    emptyHint:
      "Hosts can’t find each other without a lighthouse. Add one on a machine with a public IP address.",
    flags: { isLighthouse: true, isRelay: false },
  },
  relay: {
    noun: "relay",
    lead: "Relays forward traffic between hosts that can’t connect directly.",
    emptyHint: "Add a relay if strict NATs or firewalls keep hosts from connecting directly.",
    flags: { isLighthouse: false, isRelay: true },
  },
};

/** The kind of host in the current path. */
export function useHostKind(): HostKind {
  const { pathname } = useLocation();
  const kinds = Object.keys(hostKinds) as HostKind[];
  return kinds.find((kind) => pathname.startsWith(hostKinds[kind].path)) ?? "host";
}
