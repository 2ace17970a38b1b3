import {
  getNotificationChannel,
  getNotificationDelivery,
  getNotificationRule,
  listNotificationChannels,
  listNotificationRules,
  type NotificationChannel,
  type NotificationRule,
} from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import { keyOf, read } from "../lib/query.ts";

/** An organization has at most 200 of each, which is one page. */
export const allChannelsQuery = queryOptions({
  queryKey: keyOf(listNotificationChannels, { all: true }),
  queryFn: (): Promise<NotificationChannel[]> => listAll(listNotificationChannels, {}, { pages: 1 }),
});
export const allRulesQuery = queryOptions({
  queryKey: keyOf(listNotificationRules, { all: true }),
  queryFn: (): Promise<NotificationRule[]> => listAll(listNotificationRules, {}, { pages: 1 }),
});

export const channelQuery = (channelID: string) => read(getNotificationChannel, { params: { channelID } });
export const ruleQuery = (ruleID: string) => read(getNotificationRule, { params: { ruleID } });
export const deliveryQuery = (deliveryID: string) =>
  read(getNotificationDelivery, { params: { deliveryID } });
