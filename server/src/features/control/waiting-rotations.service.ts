import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { findRotation, waitingHosts } from "./ca-rotations.queries.ts";

/** The first hosts that the current step of a network's CA rotation waits for, each with the number of all of them. */
export async function listWaitingHosts(
  db: Reader,
  networkID: string,
  { now, limit }: { now: Date; limit: number },
): Promise<{ id: string; name: string; count: number }[]> {
  const rotation = await findRotation(db, networkID);
  if (!rotation || rotation.step === "DONE") return [];
  return waitingHosts(db, rotation, now)
    .select(["hosts.id", "hosts.name", sql<number>`count(*) over ()`.as("count")])
    .orderBy("hosts.name_key")
    .limit(limit)
    .execute();
}
