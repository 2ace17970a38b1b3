/** The whole map of addresses. Pages load when they are gone to. */
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { AuthLayout, type AuthHandle } from "./auth-layout.tsx";
import { WithConnectionBanner } from "./connection-banner.tsx";
import { RouteError } from "./error-page.tsx";
import {
  RequireAuthenticated,
  RequireFlag,
  RequireGotStarted,
  RequireOwner,
  RequireTypeUser,
  RequireUserToken,
} from "./guards.tsx";
import { Live } from "./live.tsx";
import { MainLayout } from "./main-layout.tsx";
import { Moved } from "./moved.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { RequireWriter, RequireWriterOver } from "./read-only-page.tsx";
import { Root, Starting } from "./root.tsx";
import { lazyPage } from "../lib/lazy-page.ts";

const centered: AuthHandle = { centered: true };
const gettingStarted: AuthHandle = { headerText: "Get started" };

const goTo = (path: string) => <Navigate to={path} replace />;
/** Pages that are there to change something. */
const forWriters = (...children: RouteObject[]): RouteObject => ({ Component: RequireWriter, children });
const overForWriters = (...children: RouteObject[]): RouteObject => ({
  Component: RequireWriterOver,
  children,
});
const withErrors = (children: RouteObject[]): RouteObject[] => [{ errorElement: <RouteError />, children }];

const authPages: RouteObject[] = [
  {
    path: "/auth/login",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/login-page.tsx")).LoginPage),
  },
  {
    path: "/auth/login/:orgID",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/sso-login-page.tsx")).SsoLoginPage),
  },
  {
    path: "/auth/oidc-callback",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/oidc-callback-page.tsx")).OidcCallbackPage),
  },
  {
    path: "/auth/invitation",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/invitation-page.tsx")).InvitationPage),
  },
  {
    path: "/auth/magic-link",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/magic-link-page.tsx")).MagicLinkPage),
  },
  {
    Component: RequireUserToken,
    children: [
      {
        path: "/auth/mfa",
        handle: centered,
        lazy: lazyPage(async () => (await import("../auth/mfa-page.tsx")).MfaPage),
      },
      {
        path: "/auth/mfa/register",
        handle: centered,
        lazy: lazyPage(async () => (await import("../auth/mfa-register-page.tsx")).MfaRegisterPage),
      },
      {
        path: "/auth/mfa/renew",
        handle: centered,
        lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
      },
    ],
  },
  {
    path: "/endpoint-auth/login",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/device-login-page.tsx")).DeviceLoginPage),
  },
  { path: "/auth/*", element: goTo("/auth/login") },
  {
    path: "/signup/*",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/signup-page.tsx")).SignupPage),
  },
  {
    path: "/deleted-account",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/deleted-account-page.tsx")).DeletedAccountPage),
  },
  {
    path: "/left-organization",
    handle: centered,
    lazy: lazyPage(async () => (await import("../auth/left-organization-page.tsx")).LeftOrganizationPage),
  },
];

/** One entity under three addresses. What opens over a host's page has an address of its own too. */
const hostPages = (base: string): RouteObject[] => [
  { path: base, lazy: lazyPage(async () => (await import("../hosts/hosts-page.tsx")).HostsPage) },
  forWriters({
    path: `${base}/add`,
    lazy: lazyPage(async () => (await import("../hosts/host-add-page.tsx")).HostAddPage),
  }),
  {
    path: `${base}/:hostID`,
    lazy: lazyPage(async () => (await import("../hosts/host-page.tsx")).HostPage),
    children: [
      {
        lazy: lazyPage(async () => (await import("../hosts/host-overview.tsx")).HostOverview),
        children: [
          { index: true, element: null },
          overForWriters(
            {
              path: "block",
              lazy: lazyPage(async () => (await import("../hosts/block-host-dialog.tsx")).BlockHostDialog),
            },
            {
              path: "delete",
              lazy: lazyPage(async () => (await import("../hosts/delete-host-dialog.tsx")).DeleteHostDialog),
            },
          ),
        ],
      },
      { path: "config", lazy: lazyPage(async () => (await import("../hosts/host-config.tsx")).HostConfig) },
      {
        path: "activity",
        lazy: lazyPage(async () => (await import("../audit/host-activity.tsx")).HostActivity),
      },
      forWriters({
        path: "debug",
        lazy: lazyPage(async () => (await import("../hosts/host-debug.tsx")).HostDebug),
      }),
    ],
  },
  forWriters(
    {
      path: `${base}/:hostID/edit`,
      lazy: lazyPage(async () => (await import("../hosts/host-edit-page.tsx")).HostEditPage),
    },
    {
      path: `${base}/:hostID/enroll`,
      lazy: lazyPage(async () => (await import("../enrollment/enroll-page.tsx")).EnrollPage),
    },
    {
      path: `${base}/:hostID/unblock`,
      lazy: lazyPage(async () => (await import("../enrollment/unblock-page.tsx")).UnblockPage),
    },
  ),
];

/** What is a person's own. Members and leaving the organization have moved to pages of their own. */
const userPages: RouteObject = {
  Component: RequireTypeUser,
  children: [
    {
      path: "/settings/user",
      lazy: lazyPage(async () => (await import("../settings/user-settings-page.tsx")).UserSettingsPage),
      children: [
        {
          path: "totps/add",
          lazy: lazyPage(
            async () => (await import("../settings/authenticator-add-dialog.tsx")).AuthenticatorAddDialog,
          ),
        },
        {
          path: "totps/:totpID/edit",
          lazy: lazyPage(
            async () => (await import("../settings/authenticator-edit-dialog.tsx")).AuthenticatorEditDialog,
          ),
        },
        {
          path: "totps/:totpID/delete",
          lazy: lazyPage(
            async () =>
              (await import("../settings/authenticator-delete-dialog.tsx")).AuthenticatorDeleteDialog,
          ),
        },
      ],
    },
    { path: "/settings/user/leave", element: <Moved to="/settings/organization/leave" /> },
    { path: "/settings/user/members/*", element: <Moved to="/settings/members" /> },
  ],
};

/** Whoever may not buy is led to where one sees what was bought. */
const forBuyers = (...children: RouteObject[]): RouteObject => ({
  element: <RequireOwner redirectTo="/settings/billing" />,
  children,
});

const billingPages: RouteObject[] = [
  {
    path: "/settings/billing",
    lazy: lazyPage(async () => (await import("../billing/billing-page.tsx")).BillingPage),
    children: [
      {
        path: "upgrade-success",
        lazy: lazyPage(
          async () => (await import("../billing/upgrade-success-dialog.tsx")).UpgradeSuccessDialog,
        ),
      },
      {
        path: "downgrade",
        lazy: lazyPage(async () => (await import("../billing/downgrade-dialog.tsx")).DowngradeDialog),
      },
    ],
  },
  {
    path: "/settings/billing/rename-organization",
    element: <Moved to="/settings/organization/rename" />,
  },
  { path: "/settings/billing/leave", element: <Moved to="/settings/organization/leave" /> },
  {
    path: "/settings/billing/delete-organization",
    element: <Moved to="/settings/organization/delete" />,
  },
  forBuyers(
    {
      path: "/settings/billing/checkout",
      lazy: lazyPage(async () => (await import("../billing/checkout-page.tsx")).CheckoutPage),
    },
    {
      path: "/settings/billing/upgrade-pending",
      lazy: lazyPage(async () => (await import("../billing/upgrade-pending-page.tsx")).UpgradePendingPage),
    },
  ),
];

/** Every member may read these; each dialog says, or leads to, who may change what. */
const organizationPages: RouteObject[] = [
  {
    path: "/settings/members",
    lazy: lazyPage(async () => (await import("../settings/members-page.tsx")).MembersPage),
    children: [
      {
        path: "invite",
        lazy: lazyPage(async () => (await import("../settings/member-invite-dialog.tsx")).MemberInviteDialog),
      },
      {
        path: ":memberID/edit",
        lazy: lazyPage(async () => (await import("../settings/member-edit-dialog.tsx")).MemberEditDialog),
      },
      {
        path: ":memberID/remove",
        lazy: lazyPage(async () => (await import("../settings/member-remove-dialog.tsx")).MemberRemoveDialog),
      },
    ],
  },
  {
    path: "/settings/organization",
    lazy: lazyPage(async () => (await import("../settings/organization-page.tsx")).OrganizationPage),
    children: [
      {
        path: "rename",
        lazy: lazyPage(
          async () => (await import("../settings/rename-organization-dialog.tsx")).RenameOrganizationDialog,
        ),
      },
      {
        path: "leave",
        lazy: lazyPage(async () => (await import("../settings/leave-dialog.tsx")).LeaveDialog),
      },
      {
        path: "delete",
        lazy: lazyPage(
          async () => (await import("../settings/delete-organization-dialog.tsx")).DeleteOrganizationDialog,
        ),
      },
    ],
  },
];

const apiKeyPages: RouteObject[] = [
  {
    path: "/settings/api-keys",
    lazy: lazyPage(async () => (await import("../api-keys/api-keys-page.tsx")).ApiKeysPage),
  },
  forWriters({
    path: "/settings/api-keys/add",
    lazy: lazyPage(async () => (await import("../api-keys/api-key-add-page.tsx")).ApiKeyAddPage),
  }),
  {
    path: "/settings/api-keys/:apiKeyID",
    lazy: lazyPage(async () => (await import("../api-keys/api-key-edit-page.tsx")).ApiKeyEditPage),
    children: [
      overForWriters(
        {
          path: "rotate",
          lazy: lazyPage(
            async () => (await import("../api-keys/rotate-api-key-dialog.tsx")).RotateApiKeyDialog,
          ),
        },
        {
          path: "delete",
          lazy: lazyPage(
            async () => (await import("../api-keys/delete-api-key-dialog.tsx")).DeleteApiKeyDialog,
          ),
        },
      ),
    ],
  },
];

const ssoPages: RouteObject[] = [
  { path: "/settings/sso", lazy: lazyPage(async () => (await import("../sso/sso-page.tsx")).SsoPage) },
  {
    element: <RequireOwner redirectTo="/settings/sso" />,
    children: [
      {
        path: "/settings/sso/edit",
        lazy: lazyPage(async () => (await import("../sso/sso-edit-page.tsx")).SsoEditPage),
      },
    ],
  },
];

const certificateAuthorityPages: RouteObject = {
  element: <RequireFlag flag="LIST_CERT_AUTHORITIES" />,
  children: [
    {
      path: "/certificate-authorities",
      lazy: lazyPage(
        async () =>
          (await import("../certificate-authorities/certificate-authorities-page.tsx"))
            .CertificateAuthoritiesPage,
      ),
      children: [
        overForWriters({
          path: ":networkID/rotate",
          lazy: lazyPage(
            async () => (await import("../certificate-authorities/rotate-ca-dialog.tsx")).RotateCaDialog,
          ),
        }),
      ],
    },
  ],
};

const mainPages: RouteObject[] = [
  {
    Component: RequireGotStarted,
    children: [
      { path: "/", element: goTo("/hosts") },
      ...hostPages("/hosts"),
      forWriters({
        path: "/hosts/add-several",
        lazy: lazyPage(async () => (await import("../hosts-add/add-several-page.tsx")).AddSeveralPage),
      }),
      ...hostPages("/lighthouses"),
      ...hostPages("/relays"),
      { path: "/routes", lazy: lazyPage(async () => (await import("../routes/routes-page.tsx")).RoutesPage) },
      forWriters({
        path: "/routes/add",
        lazy: lazyPage(async () => (await import("../routes/route-add-page.tsx")).RouteAddPage),
      }),
      {
        path: "/routes/:routeID",
        lazy: lazyPage(async () => (await import("../routes/route-edit-page.tsx")).RouteEditPage),
      },
      { path: "/roles", lazy: lazyPage(async () => (await import("../roles/roles-page.tsx")).RolesPage) },
      forWriters({
        path: "/roles/add",
        lazy: lazyPage(async () => (await import("../roles/role-add-page.tsx")).RoleAddPage),
      }),
      {
        path: "/roles/:roleID",
        lazy: lazyPage(async () => (await import("../roles/role-edit-page.tsx")).RoleEditPage),
      },
      { path: "/tags", lazy: lazyPage(async () => (await import("../tags/tags-page.tsx")).TagsPage) },
      forWriters(
        {
          path: "/tags/add",
          lazy: lazyPage(async () => (await import("../tags/tag-add-page.tsx")).TagAddPage),
        },
        {
          path: "/tags/reorder",
          lazy: lazyPage(async () => (await import("../tags/tag-reorder-page.tsx")).TagReorderPage),
        },
      ),
      {
        path: "/tags/:tagName",
        lazy: lazyPage(async () => (await import("../tags/tag-edit-page.tsx")).TagEditPage),
      },
      {
        path: "/downloads",
        lazy: lazyPage(async () => (await import("../downloads/downloads-page.tsx")).DownloadsPage),
      },
      { path: "/logs", element: goTo("/logs/audit/") },
      {
        path: "/logs/audit",
        lazy: lazyPage(async () => (await import("../audit/audit-page.tsx")).AuditPage),
        children: [
          {
            path: "export",
            lazy: lazyPage(async () => (await import("../audit/export-dialog.tsx")).ExportDialog),
          },
        ],
      },
      {
        path: "/settings/networks",
        lazy: lazyPage(async () => (await import("../networks/networks-page.tsx")).NetworksPage),
      },
      forWriters({
        path: "/settings/networks/add",
        lazy: lazyPage(async () => (await import("../networks/network-add-page.tsx")).NetworkAddPage),
      }),
      {
        path: "/settings/networks/:networkID",
        lazy: lazyPage(async () => (await import("../networks/network-edit-page.tsx")).NetworkEditPage),
      },
      userPages,
      ...billingPages,
      ...apiKeyPages,
      ...ssoPages,
      ...organizationPages,
      certificateAuthorityPages,
      {
        path: "/support/contact",
        lazy: lazyPage(async () => (await import("../support/contact-page.tsx")).ContactPage),
      },
    ],
  },
  { path: "*", Component: NotFoundPage },
];

const signedInPages: RouteObject[] = [
  {
    Component: AuthLayout,
    children: withErrors([
      {
        Component: WithConnectionBanner,
        children: [
          {
            path: "/get-started",
            handle: gettingStarted,
            lazy: lazyPage(async () => (await import("../get-started/get-started-page.tsx")).GetStartedPage),
          },
          forBuyers({
            path: "/signup/pro",
            handle: centered,
            lazy: lazyPage(
              async () => (await import("../billing/signup-checkout-page.tsx")).SignupCheckoutPage,
            ),
          }),
        ],
      },
    ]),
  },
  { Component: MainLayout, children: withErrors(mainPages) },
];

const developmentPages: RouteObject[] = import.meta.env.DEV
  ? [
      {
        path: "/dev/kit",
        lazy: async () => ({ Component: (await import("../ui/kit/kit-page.tsx")).default }),
      },
    ]
  : [];

export const routes: RouteObject[] = [
  {
    Component: Root,
    errorElement: <RouteError withDetails={false} />,
    HydrateFallback: Starting,
    children: [
      { Component: AuthLayout, children: withErrors(authPages) },
      { Component: RequireAuthenticated, children: [{ Component: Live, children: signedInPages }] },
      ...developmentPages,
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
