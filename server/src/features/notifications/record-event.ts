import type { NotificationEventType } from "@lightkeeper/contract";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { ITEMS_MAX } from "./messages.ts";
import { dueAt, type Schedule } from "./schedule.ts";

export interface Rule extends Schedule {
  id: string;
  organization_id: string;
  event_type: NotificationEventType;
  tags: string[];
  role_ids: string[];
  threshold_minutes: number | null;
  days: number | null;
  active_from: Date;
  active_after: number;
}

/** Hosts that come back after an outage do so within a minute, and nobody has to react. */
const COLLECT_MS: Partial<Record<NotificationEventType, number>> = {
  HOST_ONLINE: MINUTE_MS,
  HOST_OUT_OF_SYNC: MINUTE_MS,
};

/** Adds to the rule's next message. */
export async function recordEvent(
  tx: UnauditedWriter,
  rule: Rule,
  { count, items, now }: { count: number; items: EventItem[]; now: Date },
): Promise<void> {
  const readyAt = new Date(now.getTime() + (COLLECT_MS[rule.event_type] ?? 0));
  await tx
    .insertInto("notification_events")
    .values({
      organization_id: rule.organization_id,
      rule_id: rule.id,
      due_at: dueAt(rule, readyAt),
      count,
      items: JSON.stringify(items.slice(0, ITEMS_MAX)),
    })
    .execute();
}
