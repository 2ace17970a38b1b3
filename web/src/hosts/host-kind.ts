import { useLocation } from "react-router";
import { hostKinds, type HostKind } from "../references/host-link.tsx";

interface KindWords {
  /** "Add host" */
  noun: string;
  lead: string;
  /** What to do while there is none. */
  first: string;
  /** What such a host is, to the API. */
  flags: { isLighthouse: boolean; isRelay: boolean };
}

export const kindWords: Readonly<Record<HostKind, KindWords>> = {
  host: {
    noun: "host",
    lead: "Machines on your overlay networks. Each runs the agent and gets its certificate, rules and routes from here.",
    first: "Add one, enroll it with one command, and it joins its network.",
    flags: { isLighthouse: false, isRelay: false },
  },
  lighthouse: {
    noun: "lighthouse",
    lead: "They tell hosts where to find one another. Each needs an address that every host can reach.",
    first: "Add one on a machine with a public address: without a lighthouse hosts cannot find one another.",
    flags: { isLighthouse: true, isRelay: false },
  },
  relay: {
    noun: "relay",
    lead: "They carry the traffic of hosts that cannot reach one another directly.",
    first: "Add one where a firewall or carrier keeps hosts from reaching one another directly.",
    flags: { isLighthouse: false, isRelay: true },
  },
};

/** Which of the three lists the address is under. */
export function useHostKind(): HostKind {
  const { pathname } = useLocation();
  const kinds = Object.keys(hostKinds) as HostKind[];
  return kinds.find((kind) => pathname.startsWith(hostKinds[kind].path)) ?? "host";
}
