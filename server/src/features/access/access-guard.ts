/**
 * Runs before the commit of every audited write, no matter who makes the change: rejects what breaks a guarantee, and adds
 * to the audit log what the change opens and closes. Changes that affect each other lock the same networks, so that
 * each sees the other's result.
 */
import type { AccessDiffSummary, BrokenGuarantee } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, done, type Guard, type Origin } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { AccessModels, UncommittedModel } from "./access-models.ts";
import { findBrokenGuarantees } from "./broken-guarantees.ts";
import { compareNetworks, describeDiff } from "./describe-diff.ts";

/** The change was rolled back because it breaks guarantees. */
export class GuaranteeViolation extends ApiError {
  readonly entries: readonly AuditEntry[];
  readonly guarantees: readonly BrokenGuarantee[];
  constructor(entries: readonly AuditEntry[], guarantees: [BrokenGuarantee, ...BrokenGuarantee[]]) {
    const [{ description }] = guarantees;
    super("ERR_GUARANTEE_VIOLATED", {
      message: `the change breaks a guarantee${description && `: ${description}`}`,
      extra: { guarantees },
    });
    this.entries = entries;
    this.guarantees = guarantees;
  }
}

export const isGuaranteeViolation = (error: unknown): error is GuaranteeViolation =>
  error instanceof GuaranteeViolation;

const haveGroupsChanged = ({ before, after }: AuditEntry): boolean => {
  const groupsOf = (host: AuditEntry["before"]) => {
    const { roleID, tags } = (host ?? {}) as { roleID?: unknown; tags?: unknown };
    return JSON.stringify([roleID, tags]);
  };
  return groupsOf(before) !== groupsOf(after);
};

/** What the rules allow doesn't depend on whether a host is enrolled or blocked, and a deleted host reaches nobody. */
function canBreakGuarantees(entry: AuditEntry): boolean {
  const { target, event } = entry;
  if (target.type === "host") return event === "CREATED" || (event === "UPDATED" && haveGroupsChanged(entry));
  return ["role", "tag", "route", "ca"].includes(target.type);
}

/** A new host isn't enrolled, and nobody has a new role or tag yet, so they open nothing. */
function canChangeAccess(entry: AuditEntry): boolean {
  const { target, event } = entry;
  if (target.type === "host")
    return (
      ["BLOCKED_HOST", "UNBLOCKED_HOST", "DELETED"].includes(event) ||
      (event === "UPDATED" && haveGroupsChanged(entry))
    );
  if (target.type === "role" || target.type === "tag") return event !== "CREATED";
  return target.type === "route";
}

export function createAccessGuard(
  ctx: Pick<Context, "audited" | "clock" | "log">,
  models: AccessModels,
): Guard {
  return {
    async beforeCommit(tx, entries) {
      let stored = entries;
      for (const organizationID of new Set(entries.map((entry) => entry.organizationID)))
        stored = await guardOrganization(tx, organizationID, stored);
      return stored;
    },
    async afterRollback(error, origin) {
      if (!isGuaranteeViolation(error)) return;
      try {
        await recordRejection(ctx, error, origin);
      } catch (failure) {
        // The caller gets the violation, also if it can't be recorded.
        ctx.log.warn({ err: failure }, "failed to record a rejected change");
      }
    },
  };

  async function guardOrganization(
    tx: Writer,
    organizationID: string,
    entries: AuditEntry[],
  ): Promise<AuditEntry[]> {
    const ofOrganization = entries.filter((entry) => entry.organizationID === organizationID);
    const checked = ofOrganization.filter(canBreakGuarantees);
    const changing = new Set(ofOrganization.filter(canChangeAccess));
    const isChecked = checked.length > 0 && (await models.mayHaveGuarantees(tx, organizationID));
    if (!isChecked && changing.size === 0) return entries;
    const isUrgent = !isChecked && [...changing].every(({ event }) => event === "BLOCKED_HOST");
    const model = isUrgent
      ? await models.readUncommittedWithin(DIFF_WAIT_MS, tx, organizationID)
      : await models.readUncommitted(tx, organizationID);
    if (!model) return entries;
    const [first, ...rest] = isChecked ? findBrokenGuarantees(model, ctx.clock()) : [];
    if (first) throw new GuaranteeViolation(checked, [first, ...rest]);
    if (changing.size === 0) return entries;
    const accessDiff = await storeDiff(tx, organizationID, { model, entryCount: changing.size });
    return entries.map((entry) => (accessDiff && changing.has(entry) ? { ...entry, accessDiff } : entry));
  }
}

/** Blocking a host doesn't wait longer for numbers, for example if a database connection doesn't respond. */
const DIFF_WAIT_MS = 250;

const STORED_CHANGES_MAX = 20;

/** Undefined if the change affects no host. */
async function storeDiff(
  tx: Writer,
  organizationID: string,
  { model, entryCount }: { model: UncommittedModel; entryCount: number },
): Promise<AccessDiffSummary | undefined> {
  const { opened, openedPairCount, closed, closedPairCount, affectedHosts, affectedHostCount } = describeDiff(
    compareNetworks(model),
    STORED_CHANGES_MAX,
  );
  if (openedPairCount + closedPairCount + affectedHostCount === 0) return undefined;
  const id = newId("diff");
  await tx
    .insertInto("access_diffs")
    .values({
      id,
      organization_id: organizationID,
      opened: JSON.stringify(opened),
      closed: JSON.stringify(closed),
      affected_hosts: JSON.stringify(affectedHosts),
    })
    .execute();
  return { id, openedPairCount, closedPairCount, affectedHostCount, entryCount };
}

/** A background task repeats its change, so that only changes of people, API keys and hosts are recorded. */
async function recordRejection(
  ctx: Pick<Context, "audited">,
  { entries, guarantees }: GuaranteeViolation,
  origin: Origin,
): Promise<void> {
  const [change] = entries;
  if (!change || change.actor.type === "system") return;
  const { organizationID, actor, address, target } = change;
  const rejections = guarantees.map(({ id, counterexample }): AuditEntry => ({
    organizationID,
    actor,
    address,
    target: { type: "guarantee", id },
    event: "REJECTED_CHANGE",
    before: null,
    after: { change: { type: target.type, id: target.id, event: change.event }, counterexample },
  }));
  const [first, ...rest] = rejections;
  if (first) await ctx.audited(async () => done({}, first, ...rest), origin);
}
