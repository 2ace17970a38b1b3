import {
  addNetworkCidr,
  createNetworkV2,
  deleteNetwork,
  getNetworkV2,
  updateNetworkV2,
} from "@lightkeeper/contract";
import { isIpv6, overlap } from "../addresses.ts";
import { callApi } from "../call.ts";
import { chooseCaller, chooseID, NAMES } from "../choices.ts";
import { reading, writing } from "../permissions.ts";
import {
  findByID,
  getByID,
  hasName,
  hostsIn,
  type ModelNetwork,
  type Organization,
  record,
  removeByID,
} from "../state.ts";
import type { CallFactories } from "./factories.ts";

const IPV4_CIDRS = ["10.1.0.0/28", "10.2.0.0/29", "10.3.0.0/24", "10.1.0.0/24"];
const IPV6_CIDRS = ["fd00:1::/64", "fd00:2::/112", "fd00:1::/112"];

/** The ranges of all networks, including those that they get when they are upgraded. */
export const takenCidrs = ({ networks }: Organization): string[] =>
  networks.flatMap(({ cidrs, upgrade }) => [...cidrs, ...(upgrade ? [upgrade.cidr] : [])]);

export const overlapsTaken = (organization: Organization, cidrs: readonly string[]): boolean =>
  takenCidrs(organization).some((taken) => cidrs.some((cidr) => overlap(taken, cidr)));

/** Without a range of its own, a network of version 1 gets the next free one, and one of version 2 a random one. */
const KINDS = [
  { certVersion: 1, families: [4] },
  { certVersion: 2, families: [4, 6] },
  { certVersion: 2, families: [6] },
  { certVersion: 1, families: [] },
  { certVersion: 2, families: [] },
  { certVersion: 1, families: [6] },
] as const;

const presentNetwork = ({
  id,
  name,
  description,
  cidrs,
  curve,
  certVersion,
  lighthousesAsRelays,
  signingCAID,
}: ModelNetwork) => ({
  id,
  name,
  description,
  cidrs,
  curve,
  certVersion,
  lighthousesAsRelays,
  signingCAID,
});

export const respondNetwork = (organization: Organization, networkID: string) => ({
  ...presentNetwork(getByID(organization.networks, networkID)),
  hostCount: hostsIn(organization, networkID).length,
});

interface NetworkBody {
  name: string;
  curve: ModelNetwork["curve"];
  certVersion: 1 | 2;
  cidrs?: string[];
  lighthousesAsRelays: boolean;
}

/** Ranges that the server has chosen must not overlap others either; if they do, the response differs. */
function addNetwork(
  changed: Organization,
  actor: string,
  { cidrs = [], ...body }: NetworkBody,
  data?: { id: string; signingCAID: string; cidrs: string[] },
): void {
  const { id, signingCAID, cidrs: chosen } = data ?? { id: "new", signingCAID: "new", cidrs };
  const isExpected = cidrs.every((cidr) => chosen.includes(cidr)) && !overlapsTaken(changed, chosen);
  changed.networks.push({
    id,
    ...body,
    description: "",
    cidrs: isExpected ? chosen : cidrs,
    signingCAID,
    trustedCAIDs: [signingCAID],
    revoked: [],
    rotation: null,
    upgrade: null,
  });
  record(changed, actor, ["network", id], "CREATED");
  record(changed, "system", ["ca", signingCAID], "CREATED");
  record(changed, "system", ["network", id], "SET_NETWORK_CA");
}

export const networkCalls: CallFactories = {
  createNetwork: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const { certVersion, families } = choices.pick(KINDS);
    const cidrs = families.map((family) => choices.pick(family === 4 ? IPV4_CIDRS : IPV6_CIDRS));
    const body = {
      name: choices.pick(NAMES),
      curve: choices.sometimes(20) ? ("P256" as const) : ("25519" as const),
      certVersion,
      ...(cidrs.length > 0 && { cidrs }),
      lighthousesAsRelays: choices.sometimes(30),
    };
    return callApi({
      caller,
      permission: writing("networks:create"),
      name: "createNetwork",
      endpoint: createNetworkV2,
      input: { body },
      predict: (organization, actor) => ({
        problems: [
          hasName(organization.networks, body.name) && "ERR_DUPLICATE_VALUE",
          certVersion === 1 && cidrs.some(isIpv6) && "ERR_INVALID_IPV4_CIDR",
          overlapsTaken(organization, cidrs) && "ERR_INVALID_VALUE",
        ],
        change: (changed, data) => addNetwork(changed, actor, body, data),
        response: (changed) => respondNetwork(changed, changed.networks.at(-1)!.id),
      }),
    });
  },

  updateNetwork: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    const body = {
      name: choices.pick(NAMES),
      lighthousesAsRelays: choices.sometimes(50),
      description: "changed",
    };
    return callApi({
      caller,
      permission: writing("networks:update"),
      name: "updateNetwork",
      endpoint: updateNetworkV2,
      input: { params: { networkID }, body },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.networks, networkID) && "ERR_NOT_FOUND",
          hasName(organization.networks, body.name, networkID) && "ERR_DUPLICATE_VALUE",
        ],
        change: (changed) => {
          Object.assign(getByID(changed.networks, networkID), body);
          record(changed, actor, ["network", networkID], "UPDATED");
        },
        response: (changed) => respondNetwork(changed, networkID),
      }),
    });
  },

  deleteNetwork: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("networks:delete"),
      name: "deleteNetwork",
      endpoint: deleteNetwork,
      input: { params: { networkID } },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.networks, networkID) && "ERR_NOT_FOUND",
          hostsIn(organization, networkID).length > 0 && "ERR_HAS_DEPENDENTS",
        ],
        change: (changed) => {
          removeByID(changed.networks, networkID);
          record(changed, actor, ["network", networkID], "DELETED");
        },
      }),
    });
  },

  addNetworkCidr: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) =>
      networks.filter(({ cidrs }) => cidrs.every(isIpv6) || choices.sometimes(10)),
    );
    if (networkID === undefined) return undefined;
    const cidr = choices.pick(IPV4_CIDRS);
    return callApi({
      caller,
      permission: writing("networks:update"),
      name: "addNetworkCidr",
      endpoint: addNetworkCidr,
      input: { params: { networkID }, body: { cidr } },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.networks, networkID) && "ERR_NOT_FOUND",
          findByID(organization.networks, networkID)?.cidrs.some((each) => !isIpv6(each)) &&
            "ERR_NETWORK_ALREADY_HAS_IPV4_CIDR",
          overlapsTaken(organization, [cidr]) && "ERR_INVALID_VALUE",
        ],
        change: (changed) => {
          getByID(changed.networks, networkID).cidrs.unshift(cidr);
          record(changed, actor, ["network", networkID], "UPDATED");
        },
        response: (changed) => respondNetwork(changed, networkID),
      }),
    });
  },

  getNetwork: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    return callApi({
      caller,
      permission: reading("networks:read"),
      name: "getNetwork",
      endpoint: getNetworkV2,
      input: { params: { networkID } },
      predict: (organization) => ({
        problems: [!findByID(organization.networks, networkID) && "ERR_NOT_FOUND"],
        response: () => respondNetwork(organization, networkID),
      }),
    });
  },
};
