/** The values of the rule form, which keeps the fields of other events while the event is changed. */
import { fieldsOfEvent, type NotificationEventType, type NotificationRule } from "@lightkeeper/contract";

export interface RuleValues {
  eventType: NotificationEventType;
  isEnabled: boolean;
  tags: string[];
  roleIDs: string[];
  minutes: string;
  days: string;
  channelIDs: string[];
  digest: NotificationRule["digest"];
  hasQuietHours: boolean;
  quietStart: string;
  quietEnd: string;
  timeZone: string;
}

export const newRule = (): RuleValues => ({
  eventType: "HOST_OFFLINE",
  isEnabled: true,
  tags: [],
  roleIDs: [],
  minutes: "5",
  days: "14",
  channelIDs: [],
  digest: "NONE",
  hasQuietHours: false,
  quietStart: "22:00",
  quietEnd: "07:00",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

export function toValues(rule: NotificationRule): RuleValues {
  const defaults = newRule();
  return {
    eventType: rule.eventType,
    isEnabled: rule.isEnabled,
    tags: rule.tags,
    roleIDs: rule.roleIDs,
    minutes: String(rule.thresholdMinutes ?? defaults.minutes),
    days: String(rule.days ?? defaults.days),
    channelIDs: rule.channelIDs,
    digest: rule.digest,
    hasQuietHours: rule.quietHours !== null,
    quietStart: rule.quietHours?.start ?? defaults.quietStart,
    quietEnd: rule.quietHours?.end ?? defaults.quietEnd,
    timeZone: rule.timeZone,
  };
}

/** Leaves out what doesn't apply to the event. */
export function toBody(values: RuleValues) {
  const { hosts, minutes, days } = fieldsOfEvent(values.eventType);
  return {
    eventType: values.eventType,
    isEnabled: values.isEnabled,
    tags: hosts ? values.tags : [],
    roleIDs: hosts ? values.roleIDs : [],
    thresholdMinutes: minutes ? Number(values.minutes) : null,
    days: days ? Number(values.days) : null,
    channelIDs: values.channelIDs,
    digest: values.digest,
    quietHours: values.hasQuietHours ? { start: values.quietStart, end: values.quietEnd } : null,
    timeZone: values.timeZone,
  };
}
