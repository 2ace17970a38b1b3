/** Which pages of the list of hosts are looked at. */
import { hostSorts, hostStatuses } from "@lightkeeper/contract";
import type { Organization, System } from "./system.ts";

export interface ListCase {
  what: string;
  query: Record<string, string | string[]>;
  isDeep?: boolean;
  /** Where no index has both the filter and the order, the few that match are sorted. */
  ratioLimit?: number;
}

const filterBy = (filters: Record<string, string | string[]>): ListCase => ({
  what: Object.entries(filters)
    .map(([name, value]) => `${name}=${[value].flat().join("+")}`)
    .join(" "),
  query: Object.fromEntries(Object.entries(filters).map(([name, value]) => [`filter.${name}`, value])),
});

/** A hundred times as many to sort. */
const SORTED_RATIO_LIMIT = 10;
const sortings = hostSorts.flatMap((key) => [key, `-${key}`]);

/** Of one organization: the ids its filters need, under names both organizations share. */
interface Names {
  networkID: string;
  roleID: string;
  endpointUserID: string;
  address: string;
}

async function findNames(system: System, { id }: Organization): Promise<Names> {
  const [names] = await system.query<Names>(
    `select networks.id as "networkID", roles.id as "roleID",
        (select endpoint_oidc_user_id from hosts where organization_id = $1 and endpoint_oidc_user_id is not null
          limit 1) as "endpointUserID",
        (select host(ip_address) from hosts where network_id = networks.id order by ip_address offset 76 limit 1)
          as address
      from networks, roles
      where networks.organization_id = $1 and roles.organization_id = $1
        and networks.name = 'Production' and roles.name = 'Web server'`,
    [id],
  );
  if (!names) throw new Error("The organization has no network Production or no role Web server");
  return names;
}

const none: ListCase = { what: "everything", query: {} };
/** What the console's own list of hosts shows. */
const plain: ListCase = { ...filterBy({ isLighthouse: "false", isRelay: "false" }), what: "plain hosts" };

function filters({ networkID, roleID, endpointUserID }: Names): ListCase[] {
  return [
    none,
    plain,
    { ...filterBy({ networkID }), what: "networkID" },
    { ...filterBy({ roleID }), what: "roleID=(id)" },
    ...["any", "null"].map((which) => filterBy({ roleID: which })),
    ...["isBlocked", "isLighthouse", "isRelay"].flatMap((flag) =>
      ["true", "false"].map((value) => filterBy({ [flag]: value })),
    ),
    ...["env:production", "compliance:pci", "debug:verbose"].map((tag) => filterBy({ tag })),
    filterBy({ tag: ["env:production", "tier:critical"] }),
    filterBy({ tag: ["env:production", "debug:verbose"] }),
    ...hostStatuses.map((status) => filterBy({ status })),
    filterBy({ "metadata.lastSeenAt": "null" }),
    ...["mobile", "dnclient", "null"].map((value) => filterBy({ "metadata.platform": value })),
    ...["true", "false"].map((value) => filterBy({ "metadata.updateAvailable": value })),
    { ...filterBy({ endpointOIDCUserID: endpointUserID }), what: "endpointOIDCUserID=(id)" },
    ...["any", "null"].map((which) => filterBy({ endpointOIDCUserID: which })),
  ];
}

function searches({ address }: Names): ListCase[] {
  const search = (what: string, text: string): ListCase => ({
    ...filterBy({ search: text }),
    what: `search of ${what}`,
  });
  return [
    search("a frequent part", "web"),
    search("two letters", "we"),
    search("a rare part", "gateway-lon-001"),
    search("what is nowhere", "no-such-host"),
    search("an address", address),
    search("a tag", "site:fra"),
    search("a role", "Database"),
  ];
}

const sorted = (one: ListCase, sort: string): ListCase => ({
  what: `${one.what}, sort=${sort}`,
  query: { ...one.query, sort },
});
const deep = (one: ListCase): ListCase => ({ ...one, what: `${one.what}, deep`, isDeep: true });

export interface Cases {
  pages: ListCase[];
  counts: ListCase[];
}

/** The same ones in the same order for every organization. */
export async function findCases(system: System, organization: Organization): Promise<Cases> {
  const names = await findNames(system, organization);
  const network = { ...filterBy({ networkID: names.networkID }), what: "networkID" };
  const walks = [none, network, plain].flatMap((one) => sortings.map((sort) => sorted(one, sort)));
  const tagged = filterBy({ tag: "env:production" });
  const online = filterBy({ status: "online" });
  const byRole = { ...filterBy({ roleID: names.roleID }), what: "roleID=(id)" };
  const both = [byRole, tagged, online].flatMap((one) => [sorted(one, "name"), sorted(one, "-name")]);
  const blocked = filterBy({ status: "blocked" });
  const few = [sorted(blocked, "name"), sorted(blocked, "-lastSeenAt")].map((one) => ({
    ...one,
    ratioLimit: SORTED_RATIO_LIMIT,
  }));
  const counts = [...filters(names), ...searches(names)];
  const further = [tagged, online, ...searches(names).slice(0, 1)];
  return { pages: [...counts, ...walks, ...both, ...few, ...[...walks, ...further].map(deep)], counts };
}
