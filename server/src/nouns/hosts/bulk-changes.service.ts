/** One change to many hosts at once: what can be done is done, what cannot is told. */
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
  faults: Problem[];
}

type Work = (tx: Writer, change: BulkChange, rows: HostRow[]) => Promise<BulkOutcome>;

export async function changeHosts(tx: Writer, change: BulkChange): Promise<BulkOutcome> {
  const { author, action, ids, now } = change;
  const tags = action.action === "addTags" ? action.tags : [];
  const made = await ensureTags(tx, { author, names: tags, now });
  if (action.action === "setRole" && action.roleID !== null) {
    const [role] = await lockRolesForKeyShare(tx, author.organizationID, [action.roleID]);
    if (!role) return { entries: [], faults: ids.map(roleIsGone) };
  }
  const rows = await lockHostsForChange(tx, author.organizationID, ids);
  const there = new Set(rows.map(({ id }) => id));
  const gone = ids.filter((id) => !there.has(id)).map(hostIsGone);
  const { entries, faults } = await works[action.action](tx, change, rows);
  return { entries: [...made, ...entries], faults: [...gone, ...faults] };
}

const hostIsGone = (id: string): Problem => ({ id, code: "ERR_NOT_FOUND", message: "the host is gone" });
const roleIsGone = (id: string): Problem => ({
  id,
  code: "ERR_INVALID_REFERENCE",
  message: "the role is gone",
});

/** Those that would not change are left alone, without an entry. */
async function edit(
  tx: Writer,
  { author, now }: BulkChange,
  rows: HostRow[],
  change: (row: HostRow) => HostRow | Problem,
): Promise<BulkOutcome> {
  const faults: Problem[] = [];
  const edits: { before: HostRow; after: HostRow }[] = [];
  for (const before of rows) {
    const after = change(before);
    if ("code" in after) faults.push(after);
    else if (JSON.stringify(after) !== JSON.stringify(before)) edits.push({ before, after });
  }
  if (edits.length > 0)
    await writeHosts(
      tx,
      edits.map(({ after }) => after),
      now,
    );
  return { entries: edits.map(({ before, after }) => changeEntry(author, before, after)), faults };
}

const block =
  (isBlocked: boolean): Work =>
  async (tx, { author, now }, all) => {
    const [first, ...rest] = all.filter((row) => row.is_blocked !== isBlocked);
    const entries = first ? await setBlocked(tx, { author, now, rows: [first, ...rest], isBlocked }) : [];
    return { entries, faults: [] };
  };

const works: Record<HostsBulk["action"], Work> = {
  addTags: (tx, change, rows) =>
    edit(tx, change, rows, (row) => {
      const tags = [...new Set([...row.tags, ...("tags" in change.action ? change.action.tags : [])])];
      return tags.length <= TAGS_MAX
        ? { ...row, tags }
        : { id: row.id, code: "ERR_INVALID_VALUE", message: `a host has ${TAGS_MAX} tags at most` };
    }),
  removeTags: (tx, change, rows) => {
    const gone = new Set("tags" in change.action ? change.action.tags : []);
    return edit(tx, change, rows, (row) => ({ ...row, tags: row.tags.filter((tag) => !gone.has(tag)) }));
  },
  setRole: (tx, change, rows) => {
    const role_id = "roleID" in change.action ? change.action.roleID : null;
    return edit(tx, change, rows, (row) => ({ ...row, role_id }));
  },
  block: block(true),
  unblock: block(false),
  delete: async (tx, { author, now }, rows) => {
    const routers = await findRouters(
      tx,
      author.organizationID,
      rows.map(({ id }) => id),
    );
    const [first, ...rest] = rows.filter(({ id }) => !routers.has(id));
    const entries = first ? await removeHosts(tx, { author, now, rows: [first, ...rest] }) : [];
    const faults = [...routers].map((id) => ({
      id: id ?? "",
      code: "ERR_HAS_DEPENDENTS",
      message: "a route leads through the host",
    }));
    return { entries, faults };
  },
};
