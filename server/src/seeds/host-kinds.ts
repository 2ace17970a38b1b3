/** The kinds of hosts: their names, roles, tags and agents. */
import type { NetworkKey } from "./networks.ts";
import type { RoleKey } from "./roles.ts";
import type { Site } from "./tags.ts";

export interface HostKind {
  /** Prefix of host names. */
  prefix: string;
  role: RoleKey | "lighthouse" | null;
  tags: readonly string[];
  /** Frequency relative to the other kinds of the network. */
  weight: number;
  /** Site machines have the site in their name and tags; personal devices have a person in their name. */
  location: "site" | "person";
  runs: "agent" | "dnclient" | "mobile";
}

const machine = (prefix: string, role: RoleKey | null, tags: string[], weight: number): HostKind => ({
  prefix,
  role,
  tags,
  weight,
  location: "site",
  runs: "agent",
});

const device = (
  prefix: string,
  role: RoleKey,
  tags: string[],
  weight: number,
  runs: HostKind["runs"],
): HostKind => ({ prefix, role, tags, weight, location: "person", runs });

export const KINDS: Record<NetworkKey, readonly HostKind[]> = {
  production: [
    machine("web", "web", ["env:production", "team:web"], 26),
    machine("api", "api", ["env:production", "team:platform"], 22),
    machine("worker", "worker", ["env:production", "team:platform"], 20),
    machine("db", "database", ["env:production", "team:data", "tier:critical"], 12),
    machine("pay", "api", ["env:production", "team:platform", "tier:critical", "compliance:pci"], 5),
    machine("cache", "cache", ["env:production", "team:platform"], 9),
    machine("metrics", "monitoring", ["env:production", "team:platform", "access:storage"], 4),
    machine("bastion", "bastion", ["env:production", "team:security"], 2),
  ],
  corporate: [
    device("laptop", "employee", ["team:platform", "access:offices"], 18, "agent"),
    device("laptop", "employee", ["team:web", "access:offices"], 16, "agent"),
    device("laptop", "employee", ["team:data", "access:offices", "access:storage"], 12, "agent"),
    device("laptop", "employee", ["team:support", "access:offices"], 14, "dnclient"),
    device("phone", "employee", ["device:mobile"], 26, "mobile"),
    device("guest", "contractor", ["access:offices"], 8, "dnclient"),
    machine("desk", "employee", ["team:support"], 6),
  ],
  staging: [
    machine("web", "web", ["env:staging", "team:web"], 20),
    machine("api", "api", ["env:staging", "team:platform"], 18),
    machine("db", "database", ["env:staging", "team:data"], 12),
    machine("runner", "runner", ["env:development", "team:platform"], 20),
    machine("sensor", "edge", [], 16),
    machine("lab", null, ["env:development"], 20),
  ],
};

export interface FixedHost {
  prefix: string;
  site: Site;
  role: RoleKey | "lighthouse";
  tags: readonly string[];
  is: "lighthouse" | "relay" | "router";
}

const lighthouse = (site: Site): FixedHost => ({
  prefix: "lighthouse",
  site,
  role: "lighthouse",
  tags: ["tier:critical"],
  is: "lighthouse",
});
const relay = (site: Site): FixedHost => ({
  prefix: "relay",
  site,
  role: "lighthouse",
  tags: ["tier:critical"],
  is: "relay",
});
const router = (site: Site): FixedHost => ({
  prefix: "gateway",
  site,
  role: "router",
  tags: [],
  is: "router",
});

/** The first hosts of every network, independent of its size. */
export const FIXED: Record<NetworkKey, readonly FixedHost[]> = {
  production: [lighthouse("fra"), lighthouse("nyc"), relay("fra"), relay("sin"), router("fra")],
  corporate: [
    lighthouse("fra"),
    lighthouse("nyc"),
    relay("lon"),
    router("fra"),
    router("nyc"),
    router("lon"),
  ],
  staging: [lighthouse("fra"), lighthouse("sfo"), relay("fra"), router("sfo")],
};

export const PEOPLE =
  "amara anton bella boris carla chen dara diego elin emeka farah felix gita goran hana hugo ines ivan jana jonas kaia kofi lena luca mara milan nadia noah olga omar petra quinn rosa samir tessa tomas uma viktor wanda yusuf zoe".split(
    " ",
  );
