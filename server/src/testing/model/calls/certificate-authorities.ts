/** Rotations of CAs, upgrades of networks, and the background work that continues them. */
import { finishNetworkUpgrade, revertNetworkUpgrade, rotateCa, upgradeNetwork } from "@lightkeeper/contract";
import { callApi, type Call, requireCodes } from "../call.ts";
import { chooseCaller, chooseID } from "../choices.ts";
import { administrating } from "../permissions.ts";
import {
  certificateInUse,
  findByID,
  getByID,
  hostsIn,
  type ModelHost,
  type ModelNetwork,
  type Organization,
  record,
} from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { overlapsTaken } from "./networks.ts";

/** Longer than tunnels keep an old certificate, and longer than the delay until a wider one is revoked. */
const PAUSE_MS = 80_000;

/** Certificates that allowed more than the one that the host uses now. */
function revokeWider(organization: Organization, host: ModelHost): void {
  const due = host.certificates.filter(({ isToBeRevoked }) => isToBeRevoked);
  if (due.length === 0) return;
  host.certificates = host.certificates.filter(({ isToBeRevoked }) => !isToBeRevoked);
  const { revoked } = getByID(organization.networks, host.networkID);
  revoked.push(...due.map(({ fingerprint, caID }) => ({ fingerprint, caID })));
  record(organization, "system", ["host", host.id], "UPDATED");
}

/** The next step is due when every host with a certificate has taken the current one. */
function stepRotation(organization: Organization, network: ModelNetwork): void {
  const { rotation } = network;
  if (!rotation) return;
  const enrolled = hostsIn(organization, network.id).filter((host) => certificateInUse(host));
  const { oldCAID, newCAID } = rotation;
  if (rotation.step === "TRUST") {
    if (!enrolled.every(({ id }) => rotation.hasTrust.includes(id))) return;
    rotation.step = "REISSUE";
    network.signingCAID = newCAID;
    for (const id of [newCAID, oldCAID]) record(organization, "system", ["ca", id], "UPDATED");
    record(organization, "system", ["network", network.id], "SET_NETWORK_CA");
    return;
  }
  if (!enrolled.every((host) => certificateInUse(host)?.caID === newCAID)) return;
  network.rotation = null;
  network.trustedCAIDs = network.trustedCAIDs.filter((id) => id !== oldCAID);
  record(organization, "system", ["ca", oldCAID], "UPDATED");
}

const background: Call = {
  text: "background work after a pause",
  send: async (driver) => {
    await driver.runBackground(PAUSE_MS);
    return { codes: [], data: undefined };
  },
  accept: (state, reply) => {
    requireCodes(reply, []);
    state.advancedMs += PAUSE_MS;
    for (const organization of state.organizations) {
      for (const host of organization.hosts) revokeWider(organization, host);
      for (const network of organization.networks) stepRotation(organization, network);
    }
  },
};

export const certificateAuthorityCalls: CallFactories = {
  runBackground: () => background,

  rotateCa: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    return callApi({
      caller,
      permission: administrating,
      name: "rotateCa",
      endpoint: rotateCa,
      input: { params: { networkID }, body: {} },
      predict: ({ networks }, actor) => ({
        problems: [
          !findByID(networks, networkID) && "ERR_NOT_FOUND",
          (findByID(networks, networkID)?.upgrade ?? null) !== null && "ERR_INVALID_VALUE",
        ],
        change: (changed, data) => {
          const network = getByID(changed.networks, networkID);
          if (network.rotation) return;
          const newCAID = data?.newCAID ?? "new";
          network.rotation = { step: "TRUST", oldCAID: network.signingCAID, newCAID, hasTrust: [] };
          network.trustedCAIDs.push(newCAID);
          record(changed, actor, ["network", networkID], "UPDATED");
          record(changed, "system", ["ca", newCAID], "CREATED");
        },
        response: (changed) => {
          const { step, oldCAID, newCAID } = getByID(changed.networks, networkID).rotation!;
          return { step, oldCAID, newCAID };
        },
      }),
    });
  },

  upgradeNetwork: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    const cidr = choices.pick([undefined, "fd00:1::/64", "fd00:3::/64", "fd00:2::/112"]);
    return callApi({
      caller,
      permission: administrating,
      name: "upgradeNetwork",
      endpoint: upgradeNetwork,
      input: { params: { networkID }, body: { ...(cidr !== undefined && { cidr }) } },
      predict: (organization, actor) => {
        const network = findByID(organization.networks, networkID);
        const isNew = network && !network.upgrade;
        return {
          problems: [
            !network && "ERR_NOT_FOUND",
            isNew && (network.certVersion === 2 || network.rotation !== null) && "ERR_INVALID_VALUE",
            isNew && cidr !== undefined && overlapsTaken(organization, [cidr]) && "ERR_INVALID_VALUE",
          ],
          change: (changed, data) => {
            if (!isNew) return;
            getByID(changed.networks, networkID).upgrade = {
              step: "NEBULA",
              cidr: cidr ?? data?.cidr ?? "fd00:ffff::/64",
            };
            record(changed, actor, ["network", networkID], "UPDATED");
          },
          response: (changed) => getByID(changed.networks, networkID).upgrade,
        };
      },
    });
  },

  /** No host has begun the upgrade yet, so nothing is left of it. */
  revertUpgrade: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    return callApi({
      caller,
      permission: administrating,
      name: "revertUpgrade",
      endpoint: revertNetworkUpgrade,
      input: { params: { networkID } },
      predict: ({ networks }, actor) => ({
        problems: [
          !findByID(networks, networkID) && "ERR_NOT_FOUND",
          findByID(networks, networkID)?.upgrade === null && "ERR_INVALID_VALUE",
        ],
        change: (changed) => {
          getByID(changed.networks, networkID).upgrade = null;
          record(changed, actor, ["network", networkID], "UPDATED");
        },
        response: () => null,
      }),
    });
  },

  finishUpgrade: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const networkID = chooseID(state, caller, choices, ({ networks }) => networks);
    if (networkID === undefined) return undefined;
    return callApi({
      caller,
      permission: administrating,
      name: "finishUpgrade",
      endpoint: finishNetworkUpgrade,
      input: { params: { networkID } },
      predict: ({ networks }) => ({
        problems: [findByID(networks, networkID) ? "ERR_INVALID_VALUE" : "ERR_NOT_FOUND"],
      }),
    });
  },
};
