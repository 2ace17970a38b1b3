/** The whole map of addresses. Pages load when they are gone to. */
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { AuthLayout, type AuthHandle } from "./auth-layout.tsx";
import { RouteError } from "./error-page.tsx";
import { RequireAuthenticated, RequireGotStarted, RequireUserToken } from "./guards.tsx";
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

const mainPages: RouteObject[] = [
  {
    Component: RequireGotStarted,
    children: [
      { path: "/", element: goTo("/settings/networks") },
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
        path: "/get-started",
        handle: gettingStarted,
        lazy: () => import("../get-started/get-started-page.tsx"),
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
      { Component: RequireAuthenticated, children: signedInPages },
      ...developmentPages,
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
