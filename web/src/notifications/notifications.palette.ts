import { createNotificationChannel, createNotificationRule } from "@lightkeeper/contract";
import type { PaletteAction } from "../lib/palette.ts";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";
import { MailIcon, PlusIcon } from "../ui/base/icons.tsx";
import { CHANNEL_ADD_PATH, RULE_ADD_PATH } from "./notification-labels.ts";

export const openNotifications: PaletteAction = {
  command: {
    label: "Notifications",
    keywords: "go to open page alerts webhooks",
    icon: MailIcon,
    to: NOTIFICATIONS_PATH,
  },
};

export const addNotificationRule: PaletteAction = {
  endpoint: createNotificationRule,
  command: {
    label: "Add notification rule",
    keywords: "create new alert offline",
    icon: PlusIcon,
    to: RULE_ADD_PATH,
  },
};

export const addNotificationChannel: PaletteAction = {
  endpoint: createNotificationChannel,
  command: {
    label: "Add notification channel",
    keywords: "create new email webhook slack teams siem",
    icon: PlusIcon,
    to: CHANNEL_ADD_PATH,
  },
};
