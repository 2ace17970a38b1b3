import { MINUTE_MS } from "../../../infrastructure/time/durations.ts";
import { type AttentionSources, type FindItems, toHostObjects } from "./item.ts";

/** Online hosts acknowledge a block within seconds. */
const PATIENCE_MS = 2 * MINUTE_MS;
const BLOCKS_MAX = 100;

/** One item for all blocks that some host still has to apply. */
export const findUnacknowledgedBlocks: FindItems = async (sources) => {
  const blocks = await listOpenBlocks(sources);
  const oldest = blocks.at(-1);
  const waitingCount = oldest ? await countWaitingHosts(sources, blocks) : 0;
  if (!oldest || waitingCount === 0) return [];
  return [
    {
      severity: "WARNING",
      objects: toHostObjects(blocks),
      hostCount: waitingCount,
      since: oldest.blocked_at.toISOString(),
      expiresAt: null,
    },
  ];
};

/** The newest first. */
function listOpenBlocks({ db, request: { organizationID, networkID, now } }: AttentionSources) {
  const blocks = db
    .selectFrom("host_blocks as block")
    .innerJoin("hosts", "hosts.id", "block.host_id")
    .select(["hosts.id", "hosts.name", "block.network_id", "block.revision", "block.blocked_at"])
    .where("block.organization_id", "=", organizationID)
    .where("block.completed_at", "is", null)
    .where("block.blocked_at", "<", new Date(now.getTime() - PATIENCE_MS))
    .orderBy("block.blocked_at", "desc")
    .limit(BLOCKS_MAX);
  return networkID ? blocks.where("block.network_id", "=", networkID).execute() : blocks.execute();
}

/** A host that waits for several blocks waits for the newest one of its network. */
async function countWaitingHosts(
  { db, request: { now } }: AttentionSources,
  blocks: Awaited<ReturnType<typeof listOpenBlocks>>,
): Promise<number> {
  let waitingCount = 0;
  for (const networkID of new Set(blocks.map(({ network_id }) => network_id))) {
    const revision = blocks.find(({ network_id }) => network_id === networkID)?.revision ?? 0;
    const { count } = await db
      .selectFrom("host_revisions")
      .innerJoin("hosts", "hosts.id", "host_revisions.host_id")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("host_revisions.network_id", "=", networkID)
      .where("host_revisions.revision", "<", revision)
      .where("hosts.certificate_expires_at", ">", now)
      .executeTakeFirstOrThrow();
    waitingCount += count;
  }
  return waitingCount;
}
