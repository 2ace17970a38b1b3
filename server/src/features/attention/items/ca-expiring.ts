import { DAY_MS } from "../../../infrastructure/time/durations.ts";
import { type FindItems, toNetworkObject } from "./item.ts";

const WARNING_MS = 30 * DAY_MS;
const CRITICAL_MS = 7 * DAY_MS;

/** A rotation starts a year before the CA expires, so that a CA gets this old only if its rotation can't be completed. */
export const findExpiringCas: FindItems = async ({ networks, request: { now } }) =>
  networks.flatMap((network) => {
    const { caID, caName, caExpiresAt, enrolledHosts } = network;
    const leftMs = caExpiresAt.getTime() - now.getTime();
    if (leftMs > WARNING_MS) return [];
    return [
      {
        severity: leftMs > CRITICAL_MS ? ("WARNING" as const) : ("CRITICAL" as const),
        objects: [{ type: "ca" as const, id: caID, name: caName }, toNetworkObject(network)],
        hostCount: enrolledHosts,
        since: new Date(caExpiresAt.getTime() - WARNING_MS).toISOString(),
        expiresAt: caExpiresAt.toISOString(),
      },
    ];
  });
