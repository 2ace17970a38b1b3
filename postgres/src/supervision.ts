import { setTimeout as sleep } from "node:timers/promises";
import { rejectAfter } from "./reject-after.ts";
import type { Cluster } from "./cluster.ts";
import { connectOrStart, leaveCluster, type ClusterConnection } from "./cluster-connection.ts";
import { shutDownPostmaster } from "./postmaster.ts";

const RETRY_MS = 1_000;
/** A cluster that doesn't respond in time keeps running: the next start reuses it. */
const RELEASE_MS = 5_000;

/**
 * Keeps a cluster running, and returns the function that stops it. The permanent connection ends when the cluster dies,
 * so nothing is polled. Supervision doesn't keep the Node.js process alive.
 */
export function superviseCluster(
  cluster: Cluster,
  first: ClusterConnection,
  log: (message: string, details?: object) => void,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  let current: Promise<ClusterConnection | undefined> = Promise.resolve(watch(first));

  function watch(connection: ClusterConnection): ClusterConnection {
    connection.socket.unref();
    void connection.ended.then(() => {
      if (!stopping) current = restore();
    });
    return connection;
  }

  async function restore(): Promise<ClusterConnection | undefined> {
    log("Lost the connection to PostgreSQL. Reconnecting, and starting it again if necessary.");
    let lastMessage = "";
    while (!stopping) {
      try {
        const connection = await connectOrStart(cluster, (ms) => sleep(ms, undefined, { ref: false }));
        log("Reconnected to PostgreSQL.");
        return watch(connection);
      } catch (error) {
        const { message } = error as Error;
        if (message !== lastMessage) log("Can't start PostgreSQL again.", { reason: message });
        lastMessage = message;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }

  async function stop(): Promise<void> {
    const keepAlive = setInterval(() => undefined, RETRY_MS);
    try {
      const connection = await current;
      if (connection) await releaseCluster(cluster, connection);
    } finally {
      clearInterval(keepAlive);
    }
  }

  return () => (stopping ??= stop());
}

/** Shuts the cluster down unless another process uses it. */
async function releaseCluster(cluster: Cluster, connection: ClusterConnection): Promise<void> {
  const inTime = <T>(work: Promise<T>) => rejectAfter(RELEASE_MS, work, "PostgreSQL doesn't respond");
  const isAlone = await inTime(leaveCluster(connection)).catch(() => false);
  if (isAlone) await shutDownPostmaster(cluster.dataDirectory);
  connection.client.end().catch(() => undefined);
  await inTime(connection.ended).catch(() => connection.socket.destroy());
}
