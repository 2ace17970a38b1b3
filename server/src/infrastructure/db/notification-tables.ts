/** Notification channels and rules, what was noticed, and what was sent. */
import type {
  DeliveryType,
  NotificationChannelType,
  NotificationDelivery,
  NotificationEventType,
  NotificationRule,
} from "@lightkeeper/contract";
import type { ColumnType, GeneratedAlways, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

/** One occurrence of an event. */
export interface EventItem {
  /** The host, CA, guarantee, member or API key. */
  id: string;
  name: string;
  network: { id: string; name: string } | null;
  /** A plain sentence. */
  text: string;
  /** Where the console shows it. */
  path: string;
  at: string;
}

interface DeliveryResponse {
  status: number | null;
  body: string;
  error: string | null;
}

export interface NotificationTables {
  notification_channels: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    type: Fixed<NotificationChannelType>;
    name: string;
    is_enabled: boolean;
    addresses: string[];
    /** Encrypted. */
    url: Buffer | null;
    secret: Buffer | null;
    previous_secret: ColumnType<Buffer | null, never, Buffer | null>;
    previous_secret_expires_at: ColumnType<Date | null, never, Date | null>;
    /** An audit stream starts with the entry after this one. */
    stream_after: Fixed<number | null>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  notification_rules: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    event_type: NotificationEventType;
    is_enabled: boolean;
    tags: string[];
    role_ids: string[];
    threshold_minutes: number | null;
    days: number | null;
    channel_ids: string[];
    quiet_hours: JSONColumnType<NonNullable<NotificationRule["quietHours"]>> | null;
    digest: NotificationRule["digest"];
    time_zone: string;
    /** Earlier events are not reported. */
    active_from: Date;
    /** Audit log entries up to this sequence number are not reported. */
    active_after: number;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  /** Audit log entries up to this sequence number have been examined. */
  notification_cursors: {
    organization_id: Fixed<string>;
    audit_sequence: number;
  };
  notification_rule_states: {
    rule_id: Fixed<string>;
    /** The rule's `active_from` at the last check. */
    active_from: Date;
    /** Hosts that were last seen, or certificates that expire, before this time have been examined. */
    checked_until: Date;
    checked_at: Date;
    /** The first check after an interruption of all checks. */
    resumed_at: Date;
  };
  /** Hosts and CAs that a rule's condition applies to. */
  notification_subjects: {
    rule_id: Fixed<string>;
    subject_id: Fixed<string>;
    since: Date;
    report_at: Date;
    reported_at: Date | null;
    resolved_at: Date | null;
  };
  /** Events that no message has been queued for. */
  notification_events: {
    id: GeneratedAlways<number>;
    organization_id: Fixed<string>;
    rule_id: Fixed<string>;
    due_at: Fixed<Date>;
    count: Fixed<number>;
    /** The first items. */
    items: JSONColumnType<EventItem[], string, never>;
  };
  notification_channel_states: {
    channel_id: Fixed<string>;
    failing_since: Date | null;
    /** The last acknowledged entry of an audit stream. */
    audit_sequence: number | null;
  };
  notification_deliveries: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    channel_id: Fixed<string>;
    rule_id: Fixed<string | null>;
    type: Fixed<DeliveryType>;
    title: Fixed<string>;
    body: Fixed<string | null>;
    first_sequence: Fixed<number | null>;
    last_sequence: Fixed<number | null>;
    state: NotificationDelivery["state"];
    attempts: number;
    request_headers: JSONColumnType<Record<string, string>> | null;
    response: JSONColumnType<DeliveryResponse> | null;
    created_at: Fixed<Date>;
    next_attempt_at: Date | null;
    /** The last attempt is before this time; null for parts of the audit log, which are never given up. */
    expires_at: Date | null;
    finished_at: Date | null;
  };
}
