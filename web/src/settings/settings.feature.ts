import type { Feature, FeaturePage } from "../lib/feature.ts";

/** Members and leaving the organization had paths below the user settings in earlier versions. */
const userPages: FeaturePage[] = [
  {
    path: "/settings/user",
    access: "user",
    load: async () => (await import("./user-settings-page.tsx")).UserSettingsPage,
    children: [
      {
        path: "totps/add",
        load: async () => (await import("./authenticator-add-dialog.tsx")).AuthenticatorAddDialog,
      },
      {
        path: "totps/:totpID/edit",
        load: async () => (await import("./authenticator-edit-dialog.tsx")).AuthenticatorEditDialog,
      },
      {
        path: "totps/:totpID/delete",
        load: async () => (await import("./authenticator-delete-dialog.tsx")).AuthenticatorDeleteDialog,
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
    load: async () => (await import("./members-page.tsx")).MembersPage,
    sidebar: { section: "settings", label: "Members", goKey: "m" },
    children: [
      {
        path: "invite",
        load: async () => (await import("./member-invite-dialog.tsx")).MemberInviteDialog,
      },
      {
        path: ":memberID/edit",
        load: async () => (await import("./member-edit-dialog.tsx")).MemberEditDialog,
      },
      {
        path: ":memberID/remove",
        load: async () => (await import("./member-remove-dialog.tsx")).MemberRemoveDialog,
      },
    ],
  },
  {
    path: "/settings/organization",
    load: async () => (await import("./organization-page.tsx")).OrganizationPage,
    sidebar: { section: "settings", label: "Organization", goKey: "i" },
    children: [
      {
        path: "rename",
        load: async () => (await import("./rename-organization-dialog.tsx")).RenameOrganizationDialog,
      },
      { path: "leave", load: async () => (await import("./leave-dialog.tsx")).LeaveDialog },
      {
        path: "delete",
        load: async () => (await import("./delete-organization-dialog.tsx")).DeleteOrganizationDialog,
      },
    ],
  },
];

export const settings: Feature = { pages: [...userPages, ...organizationPages] };
