/** Compares the blocks of hosts with what the other hosts of the demo have acknowledged. */
import { type Client, getBlockProgress, type HostV2 } from "@lightkeeper/contract";
import { expect } from "vitest";

/** How long hosts that are online may take. */
const DELAY_MS_MAX = 10_000;

export async function expectBlocksToBeAcknowledged(call: Client, hosts: readonly HostV2[]): Promise<void> {
  for (const { id, name } of hosts.filter(({ isBlocked }) => isBlocked)) {
    const progress = await call(getBlockProgress, { params: { hostID: id } });
    const { medianDelayMs, waitingCount = 0, completedAt } = progress ?? {};
    expect([name, (medianDelayMs ?? Infinity) < DELAY_MS_MAX]).toEqual([name, true]);
    expect([name, completedAt === null]).toEqual([name, waitingCount > 0]);
  }
}
