/** The pages of the list of hosts that are measured. */
import { hostSorts, hostStatuses } from "@lightkeeper/contract";
import type { Organization, System } from "./in-process-system.ts";

export interface ListCase {
  what: string;
  query: Record<string, string | string[]>;
  isDeep?: boolean;
  /**
   * If no index has both the filter and the order, the matching rows are sorted: how many times as long that may take
   * for so many times as many hosts.
   */
  sortedRatio?: (times: number) => number;
}

const filterBy = (filters: Record<string, string | string[]>): ListCase => ({
  what: Object.entries(filters)
    .map(([name, value]) => `${name}=${[value].flat().join("+")}`)
    .join(" "),
  query: Object.fromEntries(Object.entries(filters).map(([name, value]) => [`filter.${name}`, value])),
});

/** A page of few rows takes most of its time for other things than sorting. */
const sortedRatio = (times: number) => times / 10;
const sortings = hostSorts.flatMap((key) => [key, `-${key}`]);

/** Values of one organization for the filters. */
interface FilterValues {
  networkID: string;
  roleID: string;
  endpointUserID: string;
  address: string;
}

async function findFilterValues(system: System, { id }: Organization): Promise<FilterValues> {
  const [values] = await system.query<FilterValues>(
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
  if (!values) throw new Error("The organization has no network Production or no role Web server");
  return values;
}

const none: ListCase = { what: "everything", query: {} };
/** The list of hosts in the console. */
const plain: ListCase = { ...filterBy({ isLighthouse: "false", isRelay: "false" }), what: "plain hosts" };

function filters({ networkID, roleID, endpointUserID }: FilterValues): ListCase[] {
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

function searches({ address }: FilterValues): ListCase[] {
  const search = (what: string, text: string): ListCase => ({
    ...filterBy({ search: text }),
    what: `search of ${what}`,
  });
  return [
    search("a frequent part", "web"),
    search("two letters", "we"),
    search("a rare part", "gateway-lon-001"),
    search("a missing name", "no-such-host"),
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

/** Returns the same cases in the same order for every organization. */
export async function findCases(system: System, organization: Organization): Promise<Cases> {
  const values = await findFilterValues(system, organization);
  const network = { ...filterBy({ networkID: values.networkID }), what: "networkID" };
  const walks = [none, network, plain].flatMap((one) => sortings.map((sort) => sorted(one, sort)));
  const tagged = filterBy({ tag: "env:production" });
  const online = filterBy({ status: "online" });
  const byRole = { ...filterBy({ roleID: values.roleID }), what: "roleID=(id)" };
  const both = [byRole, tagged, online].flatMap((one) => [sorted(one, "name"), sorted(one, "-name")]);
  const blocked = filterBy({ status: "blocked" });
  const few = [sorted(blocked, "name"), sorted(blocked, "-lastSeenAt")].map((one) => ({
    ...one,
    sortedRatio,
  }));
  const counts = [...filters(values), ...searches(values)];
  const further = [tagged, online, ...searches(values).slice(0, 1)];
  return { pages: [...counts, ...walks, ...both, ...few, ...[...walks, ...further].map(deep)], counts };
}
