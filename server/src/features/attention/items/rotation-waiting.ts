import { MINUTE_MS } from "../../../infrastructure/time/durations.ts";
import { type FindItems, toHostObjects, toNetworkObject } from "./item.ts";

/** Online hosts complete a step within a minute or two. */
const PATIENCE_MS = 10 * MINUTE_MS;

/** CA rotations that can't continue because some hosts are offline or don't apply their configuration. */
export const findWaitingRotations: FindItems = async ({ findWaitingHosts, networks, request: { now } }) => {
  const items: Awaited<ReturnType<FindItems>> = [];
  for (const network of networks) {
    const since = network.rotationStepStartedAt;
    if (since === null || since.getTime() + PATIENCE_MS > now.getTime()) continue;
    const hosts = await findWaitingHosts(network.id, since);
    if (hosts.length === 0) continue;
    items.push({
      severity: "WARNING",
      objects: [toNetworkObject(network), ...toHostObjects(hosts)],
      hostCount: hosts[0]?.count ?? 0,
      since: since.toISOString(),
      expiresAt: null,
    });
  }
  return items;
};
