/** Requests to endpoints of networks that need a network in a certain state. */
import { createNetwork, createNetworkV2, upgradeNetwork } from "@lightkeeper/contract";
import { stepUpgrades } from "../features/control/network-upgrades.service.ts";
import { nextSample, type Prepare } from "./sample-inputs.ts";

/** Adds another range each time, because ranges must not overlap. */
export const withIpv6Network: Prepare = async (_server, { call }) => {
  const sample = nextSample();
  const { id } = await call(createNetworkV2, { body: { name: `Sample ${sample}`, certVersion: 2 } });
  const cidr = `10.${Math.floor(sample / 256)}.${sample % 256}.0/24`;
  return { params: { networkID: id }, body: { cidr } };
};

export const withUpgrade: Prepare = async (_server, { call }) => {
  const { id } = await call(createNetwork, { body: { name: `Sample ${nextSample()}` } });
  const params = { networkID: id };
  await call(upgradeNetwork, { params, body: {} });
  return { params };
};

/** The upgrade of a network without hosts waits only for the last step. */
export const withReadyUpgrade: Prepare = async (server, owner) => {
  const request = await withUpgrade(server, owner);
  for (let step = 0; step < 3; step++) await stepUpgrades(server.ctx);
  return request;
};
