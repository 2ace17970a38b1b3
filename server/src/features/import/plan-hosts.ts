import { setImmediate } from "node:timers/promises";
import type { ConfigOverrides } from "@lightkeeper/contract";
import { refuseImpossible } from "../../nouns/hosts/host-rules.ts";
import type { HostInput } from "../../nouns/hosts/hosts.service.ts";
import { checkOverrides } from "../../nouns/tags/config-overrides.service.ts";
import type { Problem } from "./document.ts";
import { type FindReference, NO_SUCH_ROLE, type RoleReference } from "./plan-roles.ts";
import { createSpace, type Space } from "./space.ts";
import { asWrittenIn, faultsOf, type Thing } from "./things.ts";
import { differences, type Judged, refuse, refuseTwice, sortedOverrides } from "./verdicts.ts";
import type { World } from "./world.ts";
import type { ExistingHost, ExistingNetwork } from "./world.queries.ts";

export interface HostWork {
  roleID: RoleReference | null;
  staticAddresses: string[];
  listenPort: number;
  tags: string[];
  configOverrides: ConfigOverrides;
}

/** The role of a host that is to be made is a reference, too. */
export type JudgedHost = Judged<"host", HostInput, HostWork>;

/** Other requests are served after each group: 5,000 hosts take too long in one go. */
const GROUP_SIZE = 250;

export async function planHosts(
  things: readonly Thing<"host">[],
  world: World,
  find: FindReference,
): Promise<JudgedHost[]> {
  const space = createSpace(world);
  const networkOf = ({ value }: Thing<"host">) => world.findNetwork(value.network);
  const twice = refuseTwice<"host">(
    (thing) => `${networkOf(thing)?.id ?? thing.value.network} ${world.keyOf(thing.value.name)}`,
  );
  const judge = (thing: Thing<"host">): JudgedHost => {
    const network = networkOf(thing);
    const roleID = thing.value.role === null ? null : find(thing.value.role);
    const faults = twice(thing);
    if (!network) faults.push(noSuch("network", "there is no such network"));
    if (roleID === undefined) faults.push(noSuch("role", NO_SUCH_ROLE));
    if (!network || roleID === undefined || faults.length > 0) return { thing, verdict: refuse(faults) };
    const existing = world.findHost(network.id, thing.value.name);
    const verdict = existing
      ? judgeExisting(thing, existing, roleID)
      : judgeNew(thing, network, { roleID, space });
    return { thing, verdict, network: network.name };
  };
  const judged: JudgedHost[] = [];
  for (const thing of things) {
    judged.push(judge(thing));
    if (judged.length % GROUP_SIZE === 0) await setImmediate();
  }
  return judged;
}

const noSuch = (path: string, message: string): Problem => ({ code: "ERR_INVALID_REFERENCE", message, path });

function judgeNew(
  thing: Thing<"host">,
  network: ExistingNetwork,
  { roleID, space }: { roleID: RoleReference | null; space: Space },
): JudgedHost["verdict"] {
  const { value } = thing;
  const asWritten = asWrittenIn(thing);
  const { name, ipAddress: address, staticAddresses, listenPort, isLighthouse, isRelay } = value;
  const { tags, configOverrides } = value;
  const faults = [
    ...faultsOf(() => refuseImpossible(value, (property) => property), asWritten),
    ...faultsOf(() => checkOverrides(configOverrides), asWritten),
    ...space.refuseAddress(network, address),
  ];
  const missing = faults.length > 0 ? faults : space.take(network, address);
  if (missing.length > 0) return refuse(missing);
  const properties = { staticAddresses, listenPort, isLighthouse, isRelay, tags, configOverrides };
  return { kind: "create", work: { networkID: network.id, name, roleID, address, ...properties } };
}

const fixed = (path: string, message: string): Problem => ({ code: "ERR_INVALID_VALUE", message, path });

/** What a host is from its first day to its last. */
function refuseFixed({ value, written }: Thing<"host">, existing: ExistingHost): Problem[] {
  const faults: Problem[] = [];
  if (written.includes("ipAddress") && value.ipAddress !== existing.ip_address)
    faults.push(
      fixed("ipAddress", `the host has the address ${existing.ip_address}, which cannot be changed`),
    );
  if (written.includes("isLighthouse") && value.isLighthouse !== existing.is_lighthouse)
    faults.push(fixed("isLighthouse", "whether a host is a lighthouse cannot be changed"));
  if (written.includes("isRelay") && value.isRelay !== existing.is_relay)
    faults.push(fixed("isRelay", "whether a host is a relay cannot be changed"));
  return faults;
}

const asSet = (tags: readonly string[]) => [...new Set(tags)].sort();

const compared = ({ roleID, staticAddresses, listenPort, tags, configOverrides }: HostWork) => ({
  role: roleID,
  staticAddresses,
  listenPort,
  tags: asSet(tags),
  configOverrides: sortedOverrides(configOverrides),
});

function judgeExisting(
  thing: Thing<"host">,
  existing: ExistingHost,
  roleID: RoleReference | null,
): JudgedHost["verdict"] {
  const { value, written } = thing;
  const asWritten = asWrittenIn(thing);
  const current: HostWork = {
    roleID: existing.role_id,
    staticAddresses: existing.static_addresses,
    listenPort: existing.listen_port,
    tags: existing.tags,
    configOverrides: existing.config_overrides,
  };
  const work: HostWork = {
    roleID: written.includes("role") ? roleID : current.roleID,
    staticAddresses: written.includes("staticAddresses") ? value.staticAddresses : current.staticAddresses,
    listenPort: written.includes("listenPort") ? value.listenPort : current.listenPort,
    tags: written.includes("tags") ? value.tags : current.tags,
    configOverrides: written.includes("configOverrides") ? value.configOverrides : current.configOverrides,
  };
  const shape = { ...work, isLighthouse: existing.is_lighthouse, isRelay: existing.is_relay };
  const faults = [
    ...refuseFixed(thing, existing),
    ...faultsOf(() => refuseImpossible(shape, (property) => property), asWritten),
    ...faultsOf(() => checkOverrides(value.configOverrides), asWritten),
  ];
  if (faults.length > 0) return refuse(faults);
  const properties = differences(compared(work), compared(current));
  if (properties.length === 0) return { kind: "unchanged" };
  return { kind: "change", id: existing.id, properties, work };
}
