import { setImmediate } from "node:timers/promises";
import type { ConfigOverrides } from "@lightkeeper/contract";
import { addressesOf } from "../../nouns/hosts/host-addresses.ts";
import { requireValidHostInput } from "../../nouns/hosts/host-rules.ts";
import type { HostInput } from "../../nouns/hosts/hosts.service.ts";
import { requireValidOverrides } from "../../nouns/tags/config-overrides.service.ts";
import type { Problem } from "./document.ts";
import { type FindReference, ROLE_NOT_FOUND, type RoleReference } from "./plan-roles.ts";
import { createHostAllocation, type HostAllocation } from "./host-allocation.ts";
import { hasRequestedAddress, requestedAddresses } from "./requested-addresses.ts";
import { sourcePathIn, collectProblems, type Item } from "./items.ts";
import {
  differences,
  type PlannedItem,
  reject,
  createDuplicateCheck,
  sortedOverrides,
} from "./planned-items.ts";
import type { ExistingState } from "./existing-state.ts";
import type { ExistingHost, ExistingNetwork } from "./existing-state.queries.ts";

export interface HostValues {
  roleID: RoleReference | null;
  staticAddresses: string[];
  listenPort: number;
  tags: string[];
  configOverrides: ConfigOverrides;
  description: string;
  owner: string;
}

/** The role may be a reference to a role that is created by the same import. */
export type PlannedHost = PlannedItem<"host", HostInput, HostValues>;

/** Yields to other requests after each group: planning 5,000 hosts blocks for too long. */
const GROUP_SIZE = 250;

export async function planHosts(
  items: readonly Item<"host">[],
  state: ExistingState,
  find: FindReference,
): Promise<PlannedHost[]> {
  const allocation = createHostAllocation(state);
  const networkOf = ({ value }: Item<"host">) => state.findNetwork(value.network);
  const findDuplicate = createDuplicateCheck<"host">(
    (item) => `${networkOf(item)?.id ?? item.value.network} ${state.keyOf(item.value.name)}`,
  );
  const planHost = (item: Item<"host">): PlannedHost => {
    const network = networkOf(item);
    const roleID = item.value.role === null ? null : find(item.value.role);
    const problems = findDuplicate(item);
    if (!network) problems.push(unknownReference("network", "network not found"));
    if (roleID === undefined) problems.push(unknownReference("role", ROLE_NOT_FOUND));
    if (!network || roleID === undefined || problems.length > 0) return { item, action: reject(problems) };
    const existing = state.findHost(network.id, item.value.name);
    const action = existing
      ? planExistingHost(item, existing, roleID)
      : planNewHost(item, network, { roleID, allocation });
    return { item, action, network: network.name };
  };
  const planned: PlannedHost[] = [];
  for (const item of items) {
    planned.push(planHost(item));
    if (planned.length % GROUP_SIZE === 0) await setImmediate();
  }
  return planned;
}

const unknownReference = (path: string, message: string): Problem => ({
  code: "ERR_INVALID_REFERENCE",
  message,
  path,
});

function planNewHost(
  item: Item<"host">,
  network: ExistingNetwork,
  { roleID, allocation }: { roleID: RoleReference | null; allocation: HostAllocation },
): PlannedHost["action"] {
  const { value } = item;
  const toSourcePath = sourcePathIn(item);
  const requests = requestedAddresses(value);
  const { name, staticAddresses, listenPort, isLighthouse, isRelay } = value;
  const { tags, configOverrides, description, owner } = value;
  const problems = [
    ...collectProblems(() => requireValidHostInput(value, (property) => property), toSourcePath),
    ...collectProblems(() => requireValidOverrides(configOverrides), toSourcePath),
    ...allocation.validateAddresses(network, requests),
  ];
  const allProblems = problems.length > 0 ? problems : allocation.reserve(network, requests);
  if (allProblems.length > 0) return reject(allProblems);
  const properties = {
    staticAddresses,
    listenPort,
    isLighthouse,
    isRelay,
    tags,
    configOverrides,
    description,
    owner,
  };
  const addresses = requests.flatMap(({ address }) => address ?? []);
  return { kind: "create", values: { networkID: network.id, name, roleID, addresses, ...properties } };
}

const immutable = (path: string, message: string): Problem => ({ code: "ERR_INVALID_VALUE", message, path });

/** These properties can’t change after a host is created. */
function validateImmutable({ value, presentKeys }: Item<"host">, existing: ExistingHost): Problem[] {
  const addresses = addressesOf(existing);
  const current =
    addresses.length === 1 ? `address is ${addresses[0]}` : `addresses are ${addresses.join(" and ")}`;
  const problems: Problem[] = requestedAddresses(value)
    .filter((request) => !hasRequestedAddress(existing, request))
    .map(({ path = "ipAddress" }) => immutable(path, `the host’s ${current} and can’t be changed`));
  if (presentKeys.includes("isLighthouse") && value.isLighthouse !== existing.is_lighthouse)
    problems.push(immutable("isLighthouse", "you can’t change whether a host is a lighthouse"));
  if (presentKeys.includes("isRelay") && value.isRelay !== existing.is_relay)
    problems.push(immutable("isRelay", "you can’t change whether a host is a relay"));
  return problems;
}

const toSortedSet = (tags: readonly string[]) => [...new Set(tags)].sort();

const comparable = ({ roleID, tags, configOverrides, ...values }: HostValues) => ({
  role: roleID,
  ...values,
  tags: toSortedSet(tags),
  configOverrides: sortedOverrides(configOverrides),
});

function planExistingHost(
  item: Item<"host">,
  existing: ExistingHost,
  roleID: RoleReference | null,
): PlannedHost["action"] {
  const { value, presentKeys } = item;
  const toSourcePath = sourcePathIn(item);
  const current: HostValues = {
    roleID: existing.role_id,
    staticAddresses: existing.static_addresses,
    listenPort: existing.listen_port,
    tags: existing.tags,
    configOverrides: existing.config_overrides,
    description: existing.description,
    owner: existing.owner,
  };
  const values: HostValues = {
    roleID: presentKeys.includes("role") ? roleID : current.roleID,
    staticAddresses: presentKeys.includes("staticAddresses")
      ? value.staticAddresses
      : current.staticAddresses,
    listenPort: presentKeys.includes("listenPort") ? value.listenPort : current.listenPort,
    tags: presentKeys.includes("tags") ? value.tags : current.tags,
    configOverrides: presentKeys.includes("configOverrides")
      ? value.configOverrides
      : current.configOverrides,
    description: presentKeys.includes("description") ? value.description : current.description,
    owner: presentKeys.includes("owner") ? value.owner : current.owner,
  };
  const shape = { ...values, isLighthouse: existing.is_lighthouse, isRelay: existing.is_relay };
  const problems = [
    ...validateImmutable(item, existing),
    ...collectProblems(() => requireValidHostInput(shape, (property) => property), toSourcePath),
    ...collectProblems(() => requireValidOverrides(value.configOverrides), toSourcePath),
  ];
  if (problems.length > 0) return reject(problems);
  const properties = differences(comparable(values), comparable(current));
  if (properties.length === 0) return { kind: "unchanged" };
  return { kind: "change", id: existing.id, properties, values };
}
