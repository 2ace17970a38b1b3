/**
 * The hosts that CA rotations wait for. Finding them reads every host of the network, so the result is used for half a
 * minute, and the previous one while it is read again.
 */
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader } from "../../infrastructure/db/client.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { type FindWaitingHosts, NAMED_HOSTS_MAX, type WaitingHosts } from "./items/item.ts";

const FRESH_MS = 30 * SECOND_MS;

/** Implemented by the control plane. */
export type ListWaitingHosts = (
  db: Reader,
  networkID: string,
  page: { now: Date; limit: number },
) => Promise<WaitingHosts>;

interface Reading {
  /** Identifies the step of the rotation. */
  stepStartedAt: number;
  startedAt: number;
  hosts: Promise<WaitingHosts>;
  /** The hosts, or the previous ones until they are read. */
  result: WaitingHosts | undefined;
}

export function createWaitingHostsFinder(
  { reader, clock }: Pick<Context, "reader" | "clock">,
  listWaitingHosts: ListWaitingHosts,
): FindWaitingHosts {
  /** By network. */
  const readings = new Map<string, Reading>();

  function read(networkID: string, stepStartedAt: number, previous?: WaitingHosts): Reading {
    const now = clock();
    const hosts = listWaitingHosts(reader, networkID, { now, limit: NAMED_HOSTS_MAX });
    const reading: Reading = { stepStartedAt, startedAt: now.getTime(), hosts, result: previous };
    readings.set(networkID, reading);
    hosts.then(
      (result) => (reading.result = result),
      // The next request tries again.
      () => readings.delete(networkID),
    );
    return reading;
  }

  return async (networkID, stepStartedAt) => {
    const step = stepStartedAt.getTime();
    const last = readings.get(networkID);
    const known = last?.stepStartedAt === step ? last : undefined;
    const isFresh = known !== undefined && clock().getTime() - known.startedAt < FRESH_MS;
    const { result, hosts } = isFresh ? known : read(networkID, step, known?.result);
    return result ?? hosts;
  };
}
