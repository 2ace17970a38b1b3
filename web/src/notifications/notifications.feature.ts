import type { Feature } from "../lib/feature.ts";

/** The sidebar shows no entry of its own: the page is a tab of the organization. */
export const notifications: Feature = {
  pages: [
    {
      path: "/settings/notifications",
      load: () => import("./notifications-page.tsx").then((module) => module.NotificationsPage),
    },
    {
      path: "/settings/notifications/rules/add",
      access: "writer",
      load: () => import("./rule-add-page.tsx").then((module) => module.RuleAddPage),
    },
    {
      path: "/settings/notifications/rules/:ruleID",
      load: () => import("./rule-edit-page.tsx").then((module) => module.RuleEditPage),
    },
    {
      path: "/settings/notifications/channels/add",
      access: "writer",
      load: () => import("./channel-add-page.tsx").then((module) => module.ChannelAddPage),
    },
    {
      path: "/settings/notifications/channels/:channelID",
      load: () => import("./channel-page.tsx").then((module) => module.ChannelPage),
    },
  ],
};
