/** Audit entries of the last weeks that match the current state. */
import type { AuditActor } from "@lightkeeper/contract";
import { auditHost as auditHostRow } from "../nouns/hosts/host-audit.ts";
import { issuedAtOf } from "./host-state.ts";
import type { HostRow, SeedHost } from "./hosts.ts";
import type { History } from "./history.ts";
import { type Plan } from "./plan.ts";
import { DAY_MS, MINUTE_MS } from "../infrastructure/time/durations.ts";

const HISTORY_DAYS = 42;
const NEW_MAX = 40;
const BLOCKED_MAX = 10;
const RENEWED_MAX = 100;
const ADJUSTED_MAX = 20;

export interface RecentHistory {
  addHost: (host: SeedHost) => void;
  write: (history: History, key: AuditActor) => void;
}

/** Keeps only the few hosts that get entries, however many are added. */
export function createRecentHistory(now: Date): RecentHistory {
  const since = new Date(now.getTime() - HISTORY_DAYS * DAY_MS);
  let newest: HostRow[] = [];
  const blocked: SeedHost[] = [];
  const renewed: HostRow[] = [];
  const adjusted: HostRow[] = [];
  return {
    addHost: (host) => {
      const { row } = host;
      if (row.created_at > since) newest = [...newest.slice(1 - NEW_MAX), row];
      if (row.is_blocked && blocked.length < BLOCKED_MAX) blocked.push(host);
      if (row.config_overrides.length > 0 && adjusted.length < ADJUSTED_MAX) adjusted.push(row);
      const at = issuedAtOf(row);
      if (at && at > since && row.enrolled_at && at > row.enrolled_at && renewed.length < RENEWED_MAX)
        renewed.push(row);
    },
    write: (history, key) => {
      for (const [order, row] of newest.entries())
        addCreation(history, row, order % 3 === 0 ? history.owner : key);
      for (const { row, lastSeenAt } of blocked)
        history.add(lastSeenAt ?? row.created_at, {
          target: { type: "host", id: row.id },
          event: "BLOCKED_HOST",
          before: { isBlocked: false },
          after: { isBlocked: true },
        });
      for (const row of renewed) addRenewal(history, row);
      for (const row of adjusted) addOverrides(history, row);
    },
  };
}

const auditHost = (row: HostRow) => auditHostRow({ ...row, name_key: row.name });

function addCreation(history: History, row: HostRow, actor: AuditActor): void {
  const target = { type: "host", id: row.id } as const;
  const created = { ...auditHost(row), isBlocked: false, configOverrides: [] };
  history.add(row.created_at, { actor, target, event: "CREATED", before: null, after: created });
  const expiresAt = new Date(row.created_at.getTime() + DAY_MS).toISOString();
  history.add(row.created_at, {
    actor,
    target,
    event: "CREATED_ENROLL_CODE",
    before: null,
    after: { expiresAt },
  });
  if (!row.enrolled_at) return;
  history.add(row.enrolled_at, {
    actor: { type: "host", id: row.id, name: row.name },
    target,
    event: "ENROLLED",
    before: null,
    after: { agent: `${row.agent_name}/${row.agent_version}` },
  });
}

function addRenewal(history: History, row: HostRow): void {
  const at = issuedAtOf(row);
  if (!at || !row.certificate_expires_at) return;
  history.add(at, {
    actor: { type: "host", id: row.id, name: row.name },
    target: { type: "host", id: row.id },
    event: "RENEWED",
    before: null,
    after: { notAfter: row.certificate_expires_at.toISOString() },
  });
}

function addOverrides(history: History, row: HostRow): void {
  const after = auditHost(row);
  history.add(row.modified_at, {
    target: { type: "host", id: row.id },
    event: "SET_OVERRIDES",
    before: { ...after, configOverrides: [] },
    after,
  });
}

/** Logins on most days, with an occasional wrong code. */
export function addLoginHistory({ random, history, now }: Plan): void {
  const { owner } = history;
  if (owner.type !== "user") return;
  const target = { type: "user", id: owner.id } as const;
  for (let day = HISTORY_DAYS; day > 0; day--) {
    if (random.chance(0.3)) continue;
    const at = now.getTime() - day * DAY_MS + random.below(8 * 60) * MINUTE_MS;
    const addLogin = (afterMs: number, event: "SUCCEEDED_AUTH" | "FAILED_AUTH", factor: string) =>
      history.add(new Date(at + afterMs), { target, event, before: null, after: { factor } });
    addLogin(0, "SUCCEEDED_AUTH", "magicLink");
    if (random.chance(0.15)) addLogin(15_000, "FAILED_AUTH", "totp");
    addLogin(40_000, "SUCCEEDED_AUTH", "totp");
  }
}
