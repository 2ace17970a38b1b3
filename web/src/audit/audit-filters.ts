import {
  auditEventTypes,
  auditTargetTypes,
  auditTimeFrames,
  type AuditEventType,
  type AuditTargetType,
  type AuditTimeFrame,
} from "@lightkeeper/contract";
import type { ListSpec, ListState } from "../lib/list-state.ts";
import type { LogFilter } from "./audit.queries.ts";
import { beginOfDay } from "./days.ts";

/** Between two days, which the address names too. */
export const DAYS = "days";

/** By the names of the API, but for time, which people say otherwise. */
const filters = {
  targetType: auditTargetTypes,
  targetID: "any",
  actor: "any",
  action: auditEventTypes,
  time: [...auditTimeFrames, DAYS],
  from: "any",
  to: "any",
} as const satisfies ListSpec<never, string>["filters"];

export type AuditFilterName = keyof typeof filters;
export type AuditListState = ListState<never, AuditFilterName>;

export const auditListSpec: ListSpec<never, AuditFilterName> = { filters };

export const timeNames: Readonly<Record<Exclude<AuditTimeFrame, "all"> | typeof DAYS, string>> = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  [DAYS]: "Between two days",
};

/** What the address says, as the log is asked. */
export function toLogFilter(chosen: AuditListState["filters"]): LogFilter {
  const [time] = chosen.time;
  const given: LogFilter = {
    targetType: chosen.targetType[0] as AuditTargetType | undefined,
    targetID: chosen.targetID[0],
    actor: chosen.actor[0],
    action: chosen.action[0] as AuditEventType | undefined,
    ...(time === DAYS
      ? { from: beginOfDay(chosen.from[0]), to: beginOfDay(chosen.to[0], 1) }
      : { timeFrame: time as AuditTimeFrame | undefined }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
