/** The hosts of the demo: who they are, when they were added and what happens to them. The same at every start. */
import { FIXED, type NetworkKey, type RoleKey, type Site, SITES } from "@lightkeeper/server/seeds";
import { fractionOf } from "../fraction.ts";

/** What a host does from its enrollment until now; times are in days before now. */
export type Fate =
  | { kind: "online" }
  | { kind: "neverEnrolled" }
  | { kind: "offline"; lastSeenDays: number }
  | { kind: "blocked"; blockedDays: number }
  /** Nebula rejects every configuration after the first one. */
  | { kind: "outOfSync" }
  /** Goes down for a few minutes and comes back. */
  | { kind: "unstable" };

export interface PlannedHost {
  name: string;
  network: NetworkKey;
  role: RoleKey | "lighthouse" | null;
  tags: string[];
  site: Site;
  is: "host" | "lighthouse" | "relay" | "router";
  createdDays: number;
  fate: Fate;
  nebulaVersion: string;
  /** An older release of the agent, which can be updated. */
  hasOldAgent: boolean;
}

interface Kind {
  prefix: string;
  role: RoleKey | null;
  tags: readonly string[];
  count: number;
}

const kind = (prefix: string, role: RoleKey | null, count: number, ...tags: string[]): Kind => ({
  prefix,
  role,
  count,
  tags,
});

const KINDS: Record<NetworkKey, readonly Kind[]> = {
  production: [
    kind("web", "web", 26, "env:production", "team:web"),
    kind("api", "api", 20, "env:production", "team:platform"),
    kind("worker", "worker", 18, "env:production", "team:platform"),
    kind("db", "database", 12, "env:production", "team:data", "tier:critical"),
    kind("cache", "cache", 9, "env:production", "team:platform"),
    kind("pay", "api", 4, "env:production", "team:platform", "tier:critical", "compliance:pci"),
    kind("metrics", "monitoring", 4, "env:production", "team:platform", "access:storage"),
    kind("bastion", "bastion", 2, "env:production", "team:security"),
  ],
  corporate: [
    kind("laptop", "employee", 12, "team:platform", "access:offices"),
    kind("laptop", "employee", 10, "team:web", "access:offices"),
    kind("laptop", "employee", 8, "team:data", "access:offices", "access:storage"),
    kind("laptop", "employee", 10, "team:support", "access:offices"),
    kind("desk", "employee", 8, "team:support"),
    kind("guest", "contractor", 6, "access:offices"),
  ],
  staging: [
    kind("web", "web", 8, "env:staging", "team:web"),
    kind("api", "api", 8, "env:staging", "team:platform"),
    kind("db", "database", 4, "env:staging", "team:data"),
    kind("runner", "runner", 8, "env:development", "team:platform"),
    kind("sensor", "edge", 4, "env:staging"),
    kind("lab", null, 4, "env:development"),
  ],
};

/** Large sites come first and have more hosts. */
const SITE_ORDER: readonly Site[] = ["fra", "nyc", "fra", "lon", "sin", "nyc", "fra", "sfo", "lon", "syd"];

const NEBULA_VERSIONS = ["1.11.0", "1.11.0", "1.11.0", "1.10.3", "1.9.5"] as const;

const OFFLINE_DAYS = [0.08, 0.3, 1, 2, 4, 6, 9, 14, 21, 33, 49, 60];
const BLOCKED_DAYS = [75, 40, 12, 2];
const NEVER_ENROLLED = 11;
/** Offline since so long that the certificate expires within a month. */
const EXPIRING = [
  { createdDays: 346, lastSeenDays: 320 },
  { createdDays: 352, lastSeenDays: 331 },
];
const AGE_DAYS = 360;
/** Given to a host while it is debugged. */
export const DEBUG_TAG = "debug:verbose";

/** web-fra-001, web-fra-002, … in each network. */
function createNames(): (network: NetworkKey, prefix: string, site: Site) => string {
  const last = new Map<string, number>();
  return (network, prefix, site) => {
    const stem = `${network}/${prefix}-${site}`;
    const number = (last.get(stem) ?? 0) + 1;
    last.set(stem, number);
    return `${prefix}-${site}-${String(number).padStart(3, "0")}`;
  };
}

type NameOf = ReturnType<typeof createNames>;

const fixedHosts = (network: NetworkKey, nameOf: NameOf): PlannedHost[] =>
  FIXED[network].map(({ prefix, site, role, tags, is }) => ({
    name: nameOf(network, prefix, site),
    network,
    role,
    tags: [...tags, `site:${site}`],
    site,
    is,
    createdDays: AGE_DAYS + 2,
    fate: {
      kind: network === "staging" && prefix === "lighthouse" && site === "sfo" ? "unstable" : "online",
    },
    // Rules for the subnets behind a router need a current Nebula.
    nebulaVersion: is === "router" ? "1.11.0" : "1.10.3",
    hasOldAgent: false,
  }));

function plainHosts(network: NetworkKey, nameOf: NameOf): PlannedHost[] {
  const kinds = KINDS[network].flatMap((entry) => Array.from({ length: entry.count }, () => entry));
  return kinds.map(({ prefix, role, tags }, index) => {
    const site = SITE_ORDER[index % SITE_ORDER.length] ?? SITES[0];
    return {
      name: nameOf(network, prefix, site),
      network,
      role,
      tags: [...tags, `site:${site}`],
      site,
      is: "host",
      createdDays: 0,
      fate: { kind: "online" },
      nebulaVersion: NEBULA_VERSIONS[index % NEBULA_VERSIONS.length] ?? NEBULA_VERSIONS[0],
      hasOldAgent: index % 6 === 5,
    };
  });
}

/** Takes hosts from all over the list; another `salt` takes others. */
function pickSpread(hosts: PlannedHost[], count: number, salt: string): PlannedHost[] {
  const rank = ({ network, name }: PlannedHost) => fractionOf(`${salt} ${network}/${name}`);
  return hosts
    .filter(({ fate, is }) => fate.kind === "online" && is === "host")
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, count);
}

function assignFates(hosts: PlannedHost[]): void {
  for (const host of pickSpread(hosts, NEVER_ENROLLED, "never enrolled"))
    host.fate = { kind: "neverEnrolled" };
  pickSpread(hosts, OFFLINE_DAYS.length, "offline").forEach((host, index) => {
    host.fate = { kind: "offline", lastSeenDays: OFFLINE_DAYS[index]! };
    host.createdDays = Math.max(host.createdDays, OFFLINE_DAYS[index]! + 20);
  });
  pickSpread(hosts, BLOCKED_DAYS.length, "blocked").forEach((host, index) => {
    host.fate = { kind: "blocked", blockedDays: BLOCKED_DAYS[index]! };
    host.createdDays = Math.max(host.createdDays, BLOCKED_DAYS[index]! + 30);
  });
  pickSpread(hosts, EXPIRING.length, "expiring").forEach((host, index) => {
    const { createdDays, lastSeenDays } = EXPIRING[index]!;
    host.fate = { kind: "offline", lastSeenDays };
    host.createdDays = createdDays;
  });
  const [outOfSync] = pickSpread(hosts, 1, "out of sync");
  if (outOfSync) outOfSync.fate = { kind: "outOfSync" };
}

/** In the order of their creation. */
export function planHosts(): PlannedHost[] {
  const nameOf = createNames();
  const networks: NetworkKey[] = ["production", "corporate", "staging"];
  const fixed = networks.flatMap((network) => fixedHosts(network, nameOf));
  const plain = networks.flatMap((network) => plainHosts(network, nameOf));
  // More hosts are recent than old; neighbors in the list were added months apart.
  for (const [index, host] of plain.entries()) {
    const position = ((index * 37) % plain.length) / plain.length;
    host.createdDays = AGE_DAYS * (1 - Math.sqrt(position)) + 1;
  }
  assignFates(plain);
  const debugged = plain.find(
    ({ network, role, fate }) => network === "staging" && role === "database" && fate.kind === "online",
  );
  debugged?.tags.push(DEBUG_TAG);
  return [...fixed, ...plain].sort((a, b) => b.createdDays - a.createdDays);
}
