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

const centred: AuthHandle = { centred: true };
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
  { path: "/auth/login", handle: centred, lazy: () => import("../auth/login-page.tsx") },
  { path: "/auth/login/:orgID", handle: centred, lazy: () => import("../auth/sso-login-page.tsx") },
  { path: "/auth/oidc-callback", handle: centred, lazy: () => import("../auth/oidc-callback-page.tsx") },
  { path: "/auth/invitation", handle: centred, lazy: () => import("../auth/invitation-page.tsx") },
  { path: "/auth/magic-link", handle: centred, lazy: () => import("../auth/magic-link-page.tsx") },
  {
    Component: RequireUserToken,
    children: [
      { path: "/auth/mfa", handle: centred, lazy: () => import("../auth/mfa-page.tsx") },
      { path: "/auth/mfa/register", handle: centred, lazy: () => import("../auth/mfa-register-page.tsx") },
      { path: "/auth/mfa/renew", handle: centred, lazy: () => import("../auth/mfa-renew-page.tsx") },
    ],
  },
  { path: "/endpoint-auth/login", handle: centred, lazy: () => import("../auth/device-login-page.tsx") },
  { path: "/auth/*", element: goTo("/auth/login") },
  { path: "/signup/*", handle: centred, lazy: () => import("../auth/signup-page.tsx") },
  { path: "/deleted-account", handle: centred, lazy: () => import("../auth/deleted-account-page.tsx") },
  { path: "/left-organization", handle: centred, lazy: () => import("../auth/left-organization-page.tsx") },
];

/** One entity under three addresses. What opens over a host's page has an address of its own too. */
const hostPages = (base: string): RouteObject[] => [
  { path: base, lazy: () => import("../hosts/hosts-page.tsx") },
  forWriters({ path: `${base}/add`, lazy: () => import("../hosts/host-add-page.tsx") }),
  {
    path: `${base}/:hostID`,
    lazy: () => import("../hosts/host-page.tsx"),
    children: [
      {
        lazy: () => import("../hosts/host-overview.tsx"),
        children: [
          { index: true, element: null },
          overForWriters(
            { path: "block", lazy: () => import("../hosts/block-host-dialog.tsx") },
            { path: "delete", lazy: () => import("../hosts/delete-host-dialog.tsx") },
          ),
        ],
      },
      { path: "config", lazy: () => import("../hosts/host-config.tsx") },
      { path: "activity", lazy: () => import("../audit/host-activity.tsx") },
      forWriters({ path: "debug", lazy: () => import("../hosts/host-debug.tsx") }),
    ],
  },
  forWriters(
    { path: `${base}/:hostID/edit`, lazy: () => import("../hosts/host-edit-page.tsx") },
    { path: `${base}/:hostID/enroll`, lazy: () => import("../enrollment/enroll-page.tsx") },
    { path: `${base}/:hostID/unblock`, lazy: () => import("../enrollment/unblock-page.tsx") },
  ),
];

/** What is a person's own. Members and leaving the organization have moved to pages of their own. */
const userPages: RouteObject = {
  Component: RequireTypeUser,
  children: [
    {
      path: "/settings/user",
      lazy: () => import("../settings/user-settings-page.tsx"),
      children: [
        { path: "totps/add", lazy: () => import("../settings/authenticator-add-dialog.tsx") },
        { path: "totps/:totpID/edit", lazy: () => import("../settings/authenticator-edit-dialog.tsx") },
        { path: "totps/:totpID/delete", lazy: () => import("../settings/authenticator-delete-dialog.tsx") },
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
    lazy: () => import("../billing/billing-page.tsx"),
    children: [
      { path: "upgrade-success", lazy: () => import("../billing/upgrade-success-dialog.tsx") },
      { path: "downgrade", lazy: () => import("../billing/downgrade-dialog.tsx") },
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
    { path: "/settings/billing/checkout", lazy: () => import("../billing/checkout-page.tsx") },
    { path: "/settings/billing/upgrade-pending", lazy: () => import("../billing/upgrade-pending-page.tsx") },
  ),
];

/** Every member may read these; each dialog says, or leads to, who may change what. */
const organizationPages: RouteObject[] = [
  {
    path: "/settings/members",
    lazy: () => import("../settings/members-page.tsx"),
    children: [
      { path: "invite", lazy: () => import("../settings/member-invite-dialog.tsx") },
      { path: ":memberID/edit", lazy: () => import("../settings/member-edit-dialog.tsx") },
      { path: ":memberID/remove", lazy: () => import("../settings/member-remove-dialog.tsx") },
    ],
  },
  {
    path: "/settings/organization",
    lazy: () => import("../settings/organization-page.tsx"),
    children: [
      { path: "rename", lazy: () => import("../settings/rename-organization-dialog.tsx") },
      { path: "leave", lazy: () => import("../settings/leave-dialog.tsx") },
      { path: "delete", lazy: () => import("../settings/delete-organization-dialog.tsx") },
    ],
  },
];

const apiKeyPages: RouteObject[] = [
  { path: "/settings/api-keys", lazy: () => import("../api-keys/api-keys-page.tsx") },
  forWriters({ path: "/settings/api-keys/add", lazy: () => import("../api-keys/api-key-add-page.tsx") }),
  {
    path: "/settings/api-keys/:apiKeyID",
    lazy: () => import("../api-keys/api-key-edit-page.tsx"),
    children: [
      overForWriters(
        { path: "rotate", lazy: () => import("../api-keys/rotate-api-key-dialog.tsx") },
        { path: "delete", lazy: () => import("../api-keys/delete-api-key-dialog.tsx") },
      ),
    ],
  },
];

const ssoPages: RouteObject[] = [
  { path: "/settings/sso", lazy: () => import("../sso/sso-page.tsx") },
  {
    element: <RequireOwner redirectTo="/settings/sso" />,
    children: [{ path: "/settings/sso/edit", lazy: () => import("../sso/sso-edit-page.tsx") }],
  },
];

const certificateAuthorityPages: RouteObject = {
  element: <RequireFlag flag="LIST_CERT_AUTHORITIES" />,
  children: [
    {
      path: "/certificate-authorities",
      lazy: () => import("../certificate-authorities/certificate-authorities-page.tsx"),
      children: [
        overForWriters({
          path: ":networkID/rotate",
          lazy: () => import("../certificate-authorities/rotate-ca-dialog.tsx"),
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
      forWriters({ path: "/hosts/add-several", lazy: () => import("../hosts-add/add-several-page.tsx") }),
      ...hostPages("/lighthouses"),
      ...hostPages("/relays"),
      { path: "/routes", lazy: () => import("../routes/routes-page.tsx") },
      forWriters({ path: "/routes/add", lazy: () => import("../routes/route-add-page.tsx") }),
      { path: "/routes/:routeID", lazy: () => import("../routes/route-edit-page.tsx") },
      { path: "/roles", lazy: () => import("../roles/roles-page.tsx") },
      forWriters({ path: "/roles/add", lazy: () => import("../roles/role-add-page.tsx") }),
      { path: "/roles/:roleID", lazy: () => import("../roles/role-edit-page.tsx") },
      { path: "/tags", lazy: () => import("../tags/tags-page.tsx") },
      forWriters(
        { path: "/tags/add", lazy: () => import("../tags/tag-add-page.tsx") },
        { path: "/tags/reorder", lazy: () => import("../tags/tag-reorder-page.tsx") },
      ),
      { path: "/tags/:tagName", lazy: () => import("../tags/tag-edit-page.tsx") },
      { path: "/downloads", lazy: () => import("../downloads/downloads-page.tsx") },
      { path: "/logs", element: goTo("/logs/audit/") },
      {
        path: "/logs/audit",
        lazy: () => import("../audit/audit-page.tsx"),
        children: [{ path: "export", lazy: () => import("../audit/export-dialog.tsx") }],
      },
      { path: "/settings/networks", lazy: () => import("../networks/networks-page.tsx") },
      forWriters({
        path: "/settings/networks/add",
        lazy: () => import("../networks/network-add-page.tsx"),
      }),
      { path: "/settings/networks/:networkID", lazy: () => import("../networks/network-edit-page.tsx") },
      userPages,
      ...billingPages,
      ...apiKeyPages,
      ...ssoPages,
      ...organizationPages,
      certificateAuthorityPages,
      { path: "/support/contact", lazy: () => import("../support/contact-page.tsx") },
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
            lazy: () => import("../get-started/get-started-page.tsx"),
          },
          forBuyers({
            path: "/signup/pro",
            handle: centred,
            lazy: () => import("../billing/signup-checkout-page.tsx"),
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
