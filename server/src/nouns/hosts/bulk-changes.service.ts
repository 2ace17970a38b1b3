/** One change to many hosts. Hosts that can't be changed are returned as problems. */
import type { HostsBulk, Job } from "@lightkeeper/contract";
import { TAGS_MAX } from "@lightkeeper/contract";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockRolesForKeyShare } from "../../infrastructure/db/locks.ts";
import { ensureTags } from "../tags/ensure-tags.service.ts";
import {
  changeEntry,
  lockHostsForChange,
  removeHosts,
  setBlocked,
  writeHosts,
} from "./host-changes.service.ts";
import { findRouters, type HostRow } from "./hosts.queries.ts";

type Problem = Job["errors"][number];

export interface BulkChange {
  author: Author;
  now: Date;
  ids: readonly string[];
  action: HostsBulk;
}

export interface BulkOutcome {
  entries: AuditEntry[];
  problems: Problem[];
}

type ApplyAction = (tx: Writer, change: BulkChange, rows: HostRow[]) => Promise<BulkOutcome>;

export async function changeHosts(tx: Writer, change: BulkChange): Promise<BulkOutcome> {
  const { author, action, ids, now } = change;
  const tags = action.action === "addTags" ? action.tags : [];
  const tagEntries = await ensureTags(tx, { author, names: tags, now });
  if (action.action === "setRole" && action.roleID !== null) {
    const [role] = await lockRolesForKeyShare(tx, author.organizationID, [action.roleID]);
    if (!role) return { entries: [], problems: ids.map(roleNotFound) };
  }
  const rows = await lockHostsForChange(tx, author.organizationID, ids);
  const existing = new Set(rows.map(({ id }) => id));
  const notFound = ids.filter((id) => !existing.has(id)).map(hostNotFound);
  const { entries, problems } = await actions[action.action](tx, change, rows);
  return { entries: [...tagEntries, ...entries], problems: [...notFound, ...problems] };
}

const hostNotFound = (id: string): Problem => ({
  id,
  code: "ERR_NOT_FOUND",
  message: "the host no longer exists",
});
const roleNotFound = (id: string): Problem => ({
  id,
  code: "ERR_INVALID_REFERENCE",
  message: "the role no longer exists",
});

/** Hosts that would stay the same are not written and get no entry. */
async function editHosts(
  tx: Writer,
  { author, now }: BulkChange,
  rows: HostRow[],
  change: (row: HostRow) => HostRow | Problem,
): Promise<BulkOutcome> {
  const problems: Problem[] = [];
  const edits: { before: HostRow; after: HostRow }[] = [];
  for (const before of rows) {
    const after = change(before);
    if ("code" in after) problems.push(after);
    else if (JSON.stringify(after) !== JSON.stringify(before)) edits.push({ before, after });
  }
  if (edits.length > 0)
    await writeHosts(
      tx,
      edits.map(({ after }) => after),
      now,
    );
  return { entries: edits.map(({ before, after }) => changeEntry(author, before, after)), problems };
}

const blockHosts =
  (isBlocked: boolean): ApplyAction =>
  async (tx, { author, now }, hosts) => {
    const [first, ...rest] = hosts.filter((row) => row.is_blocked !== isBlocked);
    const entries = first ? await setBlocked(tx, { author, now, rows: [first, ...rest], isBlocked }) : [];
    return { entries, problems: [] };
  };

const actions: Record<HostsBulk["action"], ApplyAction> = {
  addTags: (tx, change, rows) =>
    editHosts(tx, change, rows, (row) => {
      const tags = [...new Set([...row.tags, ...("tags" in change.action ? change.action.tags : [])])];
      return tags.length <= TAGS_MAX
        ? { ...row, tags }
        : { id: row.id, code: "ERR_INVALID_VALUE", message: `a host can have up to ${TAGS_MAX} tags` };
    }),
  removeTags: (tx, change, rows) => {
    const removed = new Set("tags" in change.action ? change.action.tags : []);
    return editHosts(tx, change, rows, (row) => ({
      ...row,
      tags: row.tags.filter((tag) => !removed.has(tag)),
    }));
  },
  setRole: (tx, change, rows) => {
    const role_id = "roleID" in change.action ? change.action.roleID : null;
    return editHosts(tx, change, rows, (row) => ({ ...row, role_id }));
  },
  block: blockHosts(true),
  unblock: blockHosts(false),
  delete: async (tx, { author, now }, rows) => {
    const routers = await findRouters(
      tx,
      author.organizationID,
      rows.map(({ id }) => id),
    );
    const [first, ...rest] = rows.filter(({ id }) => !routers.has(id));
    const entries = first ? await removeHosts(tx, { author, now, rows: [first, ...rest] }) : [];
    const problems = [...routers].map((id) => ({
      id: id ?? "",
      code: "ERR_HAS_DEPENDENTS",
      message: "a route leads through the host",
    }));
    return { entries, problems };
  },
};
