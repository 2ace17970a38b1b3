import { setTimeout as sleep } from "node:timers/promises";
import { rejectAfter } from "./deadline.ts";
import type { Cluster } from "./cluster.ts";
import { holdCluster, releaseCluster, type Hold } from "./hold.ts";
import { shutDownPostmaster } from "./postmaster.ts";

const RETRY_MS = 1_000;
/** A cluster that does not answer by then is left running: the next start joins it. */
const RELEASE_MS = 5_000;

/**
 * Keeps a started cluster running, and answers the function that stops it. The kept connection ends in the
 * moment the cluster dies, whoever started it, so nothing is polled; and nothing here keeps the process alive.
 */
export function superviseCluster(
  cluster: Cluster,
  first: Hold,
  log: (message: string, details?: object) => void,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  let current: Promise<Hold | undefined> = Promise.resolve(watch(first));

  function watch(hold: Hold): Hold {
    hold.socket.unref();
    void hold.ended.then(() => {
      if (!stopping) current = restore();
    });
    return hold;
  }

  async function restore(): Promise<Hold | undefined> {
    log("The connection to PostgreSQL is lost. Starting it again if it is gone.");
    let told = "";
    while (!stopping) {
      try {
        const hold = await holdCluster(cluster, (ms) => sleep(ms, undefined, { ref: false }));
        log("PostgreSQL is back.");
        return watch(hold);
      } catch (error) {
        const { message } = error as Error;
        if (message !== told) log("PostgreSQL cannot be started again.", { reason: message });
        told = message;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  async function stop(): Promise<void> {
    const keepAlive = setInterval(() => undefined, RETRY_MS);
    try {
      const hold = await current;
      if (!hold) return;
      const isAlone = await rejectAfter(RELEASE_MS, releaseCluster(hold), "PostgreSQL does not answer").catch(
        () => false,
      );
      if (isAlone) await shutDownPostmaster(cluster.dataDirectory);
      hold.client.end().catch(() => undefined);
      await rejectAfter(RELEASE_MS, hold.ended, "PostgreSQL does not answer").catch(() =>
        hold.socket.destroy(),
      );
    } finally {
      clearInterval(keepAlive);
    }
  }

  return () => (stopping ??= stop());
}
