import type { Feature, FeaturePage } from "../lib/feature.ts";

/** Members and leaving the organization had paths below the user settings in earlier versions. */
const userPages: FeaturePage[] = [
  {
    path: "/settings/user",
    access: "user",
    load: () => import("./user-settings-page.tsx").then((module) => module.UserSettingsPage),
    children: [
      {
        path: "totps/add",
        load: () => import("./authenticator-add-dialog.tsx").then((module) => module.AuthenticatorAddDialog),
      },
      {
        path: "totps/:totpID/edit",
        load: () =>
          import("./authenticator-edit-dialog.tsx").then((module) => module.AuthenticatorEditDialog),
      },
      {
        path: "totps/:totpID/delete",
        load: () =>
          import("./authenticator-delete-dialog.tsx").then((module) => module.AuthenticatorDeleteDialog),
      },
      {
        path: "recovery-codes",
        load: () => import("./recovery-codes-dialog.tsx").then((module) => module.RecoveryCodesDialog),
      },
    ],
  },
  { path: "/settings/user/leave", access: "user", movedTo: "/settings/organization/leave" },
  { path: "/settings/user/members/*", access: "user", movedTo: "/settings/members" },
];

/** Every member can see these pages; their dialogs explain who can change what. */
const organizationPages: FeaturePage[] = [
  {
    path: "/settings/members",
    load: () => import("./members-page.tsx").then((module) => module.MembersPage),
    sidebar: { section: "settings", label: "Members", goKey: "m" },
    children: [
      {
        path: "invite",
        load: () => import("./member-invite-dialog.tsx").then((module) => module.MemberInviteDialog),
      },
      {
        path: ":memberID/edit",
        load: () => import("./member-edit-dialog.tsx").then((module) => module.MemberEditDialog),
      },
      {
        path: ":memberID/remove",
        load: () => import("./member-remove-dialog.tsx").then((module) => module.MemberRemoveDialog),
      },
    ],
  },
  {
    path: "/settings/organization",
    load: () => import("./organization-page.tsx").then((module) => module.OrganizationPage),
    sidebar: {
      section: "settings",
      label: "Organization",
      goKey: "i",
      alsoAt: ["/settings/notifications"],
    },
    children: [
      {
        path: "rename",
        load: () =>
          import("./rename-organization-dialog.tsx").then((module) => module.RenameOrganizationDialog),
      },
      { path: "leave", load: () => import("./leave-dialog.tsx").then((module) => module.LeaveDialog) },
      {
        path: "delete",
        load: () =>
          import("./delete-organization-dialog.tsx").then((module) => module.DeleteOrganizationDialog),
      },
    ],
  },
];

export const settings: Feature = { pages: [...userPages, ...organizationPages] };
