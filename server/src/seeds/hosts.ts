/** Hosts one after the other, in the order in which they were created. */
import type { ConfigOverrides } from "@lightkeeper/contract";
import { formatIpv4 } from "@lightkeeper/nebula";
import { searchTextOf } from "../nouns/hosts/search-text.ts";
import { FIXED, type FixedHost, type HostKind, KINDS, PEOPLE } from "./host-kinds.ts";
import { type HostState, liveLife } from "./host-state.ts";
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
  static_addresses: string[];
  listen_port: number;
  is_lighthouse: boolean;
  is_relay: boolean;
  tags: string[];
  config_overrides: ConfigOverrides;
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

export interface Making extends Plan {
  hosts: number;
  networks: readonly PlannedNetwork[];
  roleIDs: RoleIDs & { lighthouse: string | null };
  /** The newest version of our own agent. */
  newest: string;
}

const PORT = 4242;
const RARE_TAG_HOSTS = 12;

export function* makeHosts(making: Making): Generator<SeedHost> {
  const { random, hosts, networks, startAt, now } = making;
  const spanMs = now.getTime() - startAt.getTime();
  const progress = networks.map((network) => ({ network, made: 0, name: createNames() }));
  for (let index = 0; index < hosts; index++) {
    // All networks grow together, each to its own size.
    const growing = progress.reduce((least, one) =>
      one.made / one.network.hosts < least.made / least.network.hosts ? one : least,
    );
    const order = growing.made++;
    // More of them lately than at the start.
    const createdAt = new Date(
      startAt.getTime() + Math.floor(spanMs * Math.sqrt((index + random.next()) / hosts)),
    );
    const isRare = (index + 1) % Math.floor(hosts / RARE_TAG_HOSTS) === 0;
    const place = { network: growing.network, order, createdAt, nameOf: growing.name, isRare };
    const fixed = FIXED[growing.network.key][order];
    yield fixed ? makeFixed(making, fixed, place) : makePlain(making, place);
  }
}

interface Place {
  network: PlannedNetwork;
  /** How many hosts the network had before. */
  order: number;
  createdAt: Date;
  nameOf: (...parts: string[]) => string;
  isRare: boolean;
}

/** web-fra-001, web-fra-002, … */
function createNames(): Place["nameOf"] {
  const last = new Map<string, number>();
  return (...parts) => {
    const stem = parts.join("-");
    const number = (last.get(stem) ?? 0) + 1;
    last.set(stem, number);
    return `${stem}-${String(number).padStart(3, "0")}`;
  };
}

function makeFixed(making: Making, { prefix, site, role, tags, is }: FixedHost, place: Place): SeedHost {
  const name = place.nameOf(prefix, site);
  const isRouter = is === "router";
  const { row, lastSeenAt } = describe(making, place, {
    name,
    role,
    tags: [...tags, `site:${site}`],
    runs: "agent",
    isSteady: true,
  });
  const reach = {
    static_addresses: isRouter ? [] : [`${name}.${place.network.key}.example.com:${PORT}`],
    listen_port: isRouter ? 0 : PORT,
    is_lighthouse: is === "lighthouse",
    is_relay: is === "relay",
  };
  return { row: { ...row, ...reach }, lastSeenAt, isRouter };
}

function makePlain(making: Making, place: Place): SeedHost {
  const { random, ids } = making;
  const kind = weighted(random, KINDS[place.network.key]);
  const site = random.pick(SITES);
  const isAtSite = kind.kept === "atSite";
  const host = describe(making, place, {
    name: place.nameOf(kind.prefix, isAtSite ? site : random.pick(PEOPLE)),
    role: kind.role,
    tags: [...kind.tags, ...(isAtSite ? [`site:${site}`] : [])],
    runs: kind.runs,
    isSteady: false,
  });
  if (random.chance(0.02)) {
    host.row.config_overrides = [{ key: "tun.mtu", value: random.pick([1200, 1280, 1420]) }];
    const ageMs = making.now.getTime() - place.createdAt.getTime();
    host.row.modified_at = new Date(place.createdAt.getTime() + random.below(ageMs));
  }
  // Enrolled by its user, who signed in.
  if (!isAtSite && host.row.enrolled_at && random.chance(0.6))
    host.row.endpoint_oidc_user_id = ids.id("eoidcuser");
  return host;
}

interface Description {
  name: string;
  role: HostKind["role"];
  tags: string[];
  runs: HostKind["runs"];
  isSteady: boolean;
}

function describe(making: Making, place: Place, host: Description): SeedHost {
  const { random, ids, organizationID, roleIDs, newest, now } = making;
  const { network, order, createdAt, isRare } = place;
  const { lastSeenAt, ...state } = liveLife(random, { ...host, createdAt, now, newest });
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
    static_addresses: [],
    listen_port: 0,
    is_lighthouse: false,
    is_relay: false,
    tags,
    config_overrides: [],
    search_text: searchTextOf({ name, ip_address, tags }),
    ca_id: state.certificate_expires_at && network.caID,
    created_at: createdAt,
    modified_at: createdAt,
    ...state,
  };
  return { row, lastSeenAt, isRouter: false };
}

function weighted(random: Random, kinds: readonly HostKind[]): HostKind {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.below(total);
  const found = kinds.find(({ weight }) => (left -= weight) < 0);
  if (!found) throw new Error("Kinds without weight");
  return found;
}
