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
import { startOfDay } from "./days.ts";

/** The time is a range of days, which the parameters `from` and `to` contain. */
export const DAYS = "days";

/** Named like the API's filters, except for the time, for which the console has its own choices. */
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
  [DAYS]: "Custom range",
};

/** Converts the filters of the URL to those of the API. */
export function toLogFilter(selected: AuditListState["filters"]): LogFilter {
  const [time] = selected.time;
  const filter: LogFilter = {
    targetType: selected.targetType[0] as AuditTargetType | undefined,
    targetID: selected.targetID[0],
    actor: selected.actor[0],
    action: selected.action[0] as AuditEventType | undefined,
    ...(time === DAYS
      ? { from: startOfDay(selected.from[0]), to: startOfDay(selected.to[0], 1) }
      : { timeFrame: time as AuditTimeFrame | undefined }),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
