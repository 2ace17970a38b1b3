/** The whole map of addresses. Pages load when they are gone to. */
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { AuthLayout, type AuthHandle } from "./auth-layout.tsx";
import { WithConnectionBanner } from "./connection-banner.tsx";
import { RouteError } from "./error-page.tsx";
import { RequireAuthenticated, RequireGotStarted, RequireUserToken } from "./guards.tsx";
import { Live } from "./live.tsx";
import { MainLayout } from "./main-layout.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { Root, Starting } from "./root.tsx";

const centred: AuthHandle = { centred: true };
const gettingStarted: AuthHandle = { headerText: "Get started" };

const goTo = (path: string) => <Navigate to={path} replace />;
const withErrors = (children: RouteObject[]): RouteObject[] => [{ errorElement: <RouteError />, children }];

const authPages: RouteObject[] = [
  { path: "/auth/login", handle: centred, lazy: () => import("../auth/login-page.tsx") },
  { path: "/auth/login/:orgID", handle: centred, lazy: () => import("../auth/sso-login-page.tsx") },
  { path: "/auth/magic-link", handle: centred, lazy: () => import("../auth/magic-link-page.tsx") },
  {
    Component: RequireUserToken,
    children: [
      { path: "/auth/mfa", handle: centred, lazy: () => import("../auth/mfa-page.tsx") },
      { path: "/auth/mfa/register", handle: centred, lazy: () => import("../auth/mfa-register-page.tsx") },
      { path: "/auth/mfa/renew", handle: centred, lazy: () => import("../auth/mfa-renew-page.tsx") },
    ],
  },
  { path: "/auth/*", element: goTo("/auth/login") },
  { path: "/signup/*", handle: centred, lazy: () => import("../auth/signup-page.tsx") },
  { path: "/deleted-account", handle: centred, lazy: () => import("../auth/deleted-account-page.tsx") },
];

/** One entity under three addresses. What opens over a host's page has an address of its own too. */
const hostPages = (base: string): RouteObject[] => [
  { path: base, lazy: () => import("../hosts/hosts-page.tsx") },
  { path: `${base}/add`, lazy: () => import("../hosts/host-add-page.tsx") },
  {
    path: `${base}/:hostID`,
    lazy: () => import("../hosts/host-page.tsx"),
    children: [
      {
        lazy: () => import("../hosts/host-overview.tsx"),
        children: [
          { index: true, element: null },
          { path: "block", lazy: () => import("../hosts/block-host-dialog.tsx") },
          { path: "delete", lazy: () => import("../hosts/delete-host-dialog.tsx") },
        ],
      },
      { path: "config", lazy: () => import("../hosts/host-config.tsx") },
      { path: "activity", lazy: () => import("../hosts/host-activity.tsx") },
      { path: "debug", lazy: () => import("../hosts/host-debug.tsx") },
    ],
  },
  { path: `${base}/:hostID/edit`, lazy: () => import("../hosts/host-edit-page.tsx") },
  { path: `${base}/:hostID/enroll`, lazy: () => import("../enrollment/enroll-page.tsx") },
  { path: `${base}/:hostID/unblock`, lazy: () => import("../enrollment/unblock-page.tsx") },
];

const mainPages: RouteObject[] = [
  {
    Component: RequireGotStarted,
    children: [
      { path: "/", element: goTo("/hosts") },
      ...hostPages("/hosts"),
      { path: "/hosts/add-several", lazy: () => import("../hosts-add/add-several-page.tsx") },
      ...hostPages("/lighthouses"),
      ...hostPages("/relays"),
      { path: "/routes", lazy: () => import("../routes/routes-page.tsx") },
      { path: "/routes/add", lazy: () => import("../routes/route-add-page.tsx") },
      { path: "/routes/:routeID", lazy: () => import("../routes/route-edit-page.tsx") },
      { path: "/roles", lazy: () => import("../roles/roles-page.tsx") },
      { path: "/roles/add", lazy: () => import("../roles/role-add-page.tsx") },
      { path: "/roles/:roleID", lazy: () => import("../roles/role-edit-page.tsx") },
      { path: "/tags", lazy: () => import("../tags/tags-page.tsx") },
      { path: "/tags/add", lazy: () => import("../tags/tag-add-page.tsx") },
      { path: "/tags/reorder", lazy: () => import("../tags/tag-reorder-page.tsx") },
      { path: "/tags/:tagName", lazy: () => import("../tags/tag-edit-page.tsx") },
      { path: "/downloads", lazy: () => import("../downloads/downloads-page.tsx") },
      { path: "/settings/networks", lazy: () => import("../networks/networks-page.tsx") },
      { path: "/settings/networks/add", lazy: () => import("../networks/network-add-page.tsx") },
      { path: "/settings/networks/:networkID", lazy: () => import("../networks/network-edit-page.tsx") },
    ],
  },
  { path: "*", Component: NotFoundPage },
];

const signedInPages: RouteObject[] = [
  // The checkout for a sign-up has no page yet; whoever comes for it signs up, or goes on.
  { path: "/signup/pro", element: goTo("/") },
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
        ],
      },
    ]),
  },
  { Component: MainLayout, children: withErrors(mainPages) },
];

const developmentPages: RouteObject[] = import.meta.env.DEV
  ? [{ path: "/dev/kit", lazy: async () => ({ Component: (await import("../ui/kit-page.tsx")).default }) }]
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
