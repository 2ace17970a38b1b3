/** Generates hosts in the order of their creation. */
import type { ConfigOverrides } from "@lightkeeper/contract";
import { formatIpv4 } from "@lightkeeper/nebula";
import { searchTextOf } from "../nouns/hosts/search-text.ts";
import { FIXED, type FixedHost, type HostKind, KINDS, PEOPLE } from "./host-kinds.ts";
import { type HostState, generateHostState } from "./host-state.ts";
import type { PlannedNetwork } from "./networks.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import type { RoleIDs } from "./roles.ts";
import { RARE_TAG, SITES } from "./tags.ts";

export interface HostRow extends Omit<HostState, "lastSeenAt"> {
  id: string;
  organization_id: string;
  network_id: string;
  role_id: string | null;
  endpoint_oidc_user_id: string | null;
  name: string;
  ip_address: string;
  ipv6_address: null;
  static_addresses: string[];
  listen_port: number;
  is_lighthouse: boolean;
  is_relay: boolean;
  tags: string[];
  config_overrides: ConfigOverrides;
  description: string;
  owner: string;
  search_text: string;
  ca_id: string | null;
  created_at: Date;
  modified_at: Date;
}

export interface SeedHost {
  row: HostRow;
  lastSeenAt: Date | null;
  isRouter: boolean;
}

export interface HostGeneration extends Plan {
  hosts: number;
  networks: readonly PlannedNetwork[];
  roleIDs: RoleIDs & { lighthouse: string | null };
  /** The newest version of the Lightkeeper agent. */
  newest: string;
}

const PORT = 4242;
const RARE_TAG_HOSTS = 12;

export function* generateHosts(generation: HostGeneration): Generator<SeedHost> {
  const { random, hosts, networks, startAt, now } = generation;
  const spanMs = now.getTime() - startAt.getTime();
  const progress = networks.map((network) => ({ network, count: 0, name: createNameGenerator() }));
  for (let index = 0; index < hosts; index++) {
    // All networks grow in proportion to their size.
    const growing = progress.reduce((least, network) =>
      network.count / network.network.hosts < least.count / least.network.hosts ? network : least,
    );
    const order = growing.count++;
    // More hosts are recent than old.
    const createdAt = new Date(
      startAt.getTime() + Math.floor(spanMs * Math.sqrt((index + random.next()) / hosts)),
    );
    const isRare = (index + 1) % Math.floor(hosts / RARE_TAG_HOSTS) === 0;
    const slot = { network: growing.network, order, createdAt, nameOf: growing.name, isRare };
    const fixed = FIXED[growing.network.key][order];
    yield fixed ? generateFixed(generation, fixed, slot) : generatePlain(generation, slot);
  }
}

interface HostSlot {
  network: PlannedNetwork;
  /** Index of the host in its network. */
  order: number;
  createdAt: Date;
  nameOf: (...parts: string[]) => string;
  isRare: boolean;
}

/** web-fra-001, web-fra-002, … */
function createNameGenerator(): HostSlot["nameOf"] {
  const last = new Map<string, number>();
  return (...parts) => {
    const stem = parts.join("-");
    const number = (last.get(stem) ?? 0) + 1;
    last.set(stem, number);
    return `${stem}-${String(number).padStart(3, "0")}`;
  };
}

function generateFixed(
  generation: HostGeneration,
  { prefix, site, role, tags, is }: FixedHost,
  slot: HostSlot,
): SeedHost {
  const name = slot.nameOf(prefix, site);
  const isRouter = is === "router";
  const { row, lastSeenAt } = buildHost(generation, slot, {
    name,
    role,
    tags: [...tags, `site:${site}`],
    runs: "agent",
    isSteady: true,
  });
  const reach = {
    static_addresses: isRouter ? [] : [`${name}.${slot.network.key}.example.com:${PORT}`],
    listen_port: isRouter ? 0 : PORT,
    is_lighthouse: is === "lighthouse",
    is_relay: is === "relay",
  };
  return { row: { ...row, ...reach }, lastSeenAt, isRouter };
}

function generatePlain(generation: HostGeneration, slot: HostSlot): SeedHost {
  const { random, ids } = generation;
  const kind = pickWeighted(random, KINDS[slot.network.key]);
  const site = random.pick(SITES);
  const isAtSite = kind.location === "site";
  const host = buildHost(generation, slot, {
    name: slot.nameOf(kind.prefix, isAtSite ? site : random.pick(PEOPLE)),
    role: kind.role,
    tags: [...kind.tags, ...(isAtSite ? [`site:${site}`] : [])],
    runs: kind.runs,
    isSteady: false,
  });
  if (random.chance(0.02)) {
    host.row.config_overrides = [{ key: "tun.mtu", value: random.pick([1200, 1280, 1420]) }];
    const ageMs = generation.now.getTime() - slot.createdAt.getTime();
    host.row.modified_at = new Date(slot.createdAt.getTime() + random.below(ageMs));
  }
  // Enrolled by its user with single sign-on.
  if (!isAtSite && host.row.enrolled_at && random.chance(0.6))
    host.row.endpoint_oidc_user_id = ids.id("eoidcuser");
  return host;
}

interface HostDescription {
  name: string;
  role: HostKind["role"];
  tags: string[];
  runs: HostKind["runs"];
  isSteady: boolean;
}

function buildHost(generation: HostGeneration, slot: HostSlot, host: HostDescription): SeedHost {
  const { random, ids, organizationID, roleIDs, newest, now } = generation;
  const { network, order, createdAt, isRare } = slot;
  const { lastSeenAt, ...state } = generateHostState(random, { ...host, createdAt, now, newest });
  const { name, role } = host;
  const tags = isRare ? [...host.tags, RARE_TAG] : host.tags;
  const ip_address = formatIpv4(network.base + order + 1);
  const row: HostRow = {
    id: ids.id("host"),
    organization_id: organizationID,
    network_id: network.id,
    role_id: role && roleIDs[role],
    endpoint_oidc_user_id: null,
    name,
    ip_address,
    ipv6_address: null,
    static_addresses: [],
    listen_port: 0,
    is_lighthouse: false,
    is_relay: false,
    tags,
    config_overrides: [],
    description: "",
    owner: "",
    search_text: searchTextOf({ name, ip_address, ipv6_address: null, tags }),
    ca_id: state.certificate_expires_at && network.caID,
    created_at: createdAt,
    modified_at: createdAt,
    ...state,
  };
  return { row, lastSeenAt, isRouter: false };
}

function pickWeighted(random: Random, kinds: readonly HostKind[]): HostKind {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.below(total);
  const found = kinds.find(({ weight }) => (left -= weight) < 0);
  if (!found) throw new Error("All weights are zero");
  return found;
}
