/** The layouts and guards around the pages of the features. Pages load when they are opened. */
import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { AuthLayout } from "./auth-layout.tsx";
import { WithConnectionBanner } from "./connection-banner.tsx";
import { RouteError } from "./error-page.tsx";
import { features } from "./features.ts";
import { RequireAuthenticated, RequireGotStarted } from "./guards.tsx";
import { Live } from "./live.tsx";
import { MainLayout } from "./main-layout.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { toRoutes } from "./page-routes.tsx";
import { Root, Starting } from "./root.tsx";

const publicPages = toRoutes(features.flatMap((feature) => feature.publicPages ?? []));
const setupPages = toRoutes(features.flatMap((feature) => feature.setupPages ?? []));
const pages = toRoutes(features.flatMap((feature) => feature.pages ?? []));

const withErrors = (children: RouteObject[]): RouteObject[] => [{ errorElement: <RouteError />, children }];

const mainPages: RouteObject[] = [
  {
    Component: RequireGotStarted,
    children: [{ path: "/", element: <Navigate to="/hosts" replace /> }, ...pages],
  },
  { path: "*", Component: NotFoundPage },
];

const signedInPages: RouteObject[] = [
  {
    Component: AuthLayout,
    children: withErrors([{ Component: WithConnectionBanner, children: setupPages }]),
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
      { Component: AuthLayout, children: withErrors(publicPages) },
      { Component: RequireAuthenticated, children: [{ Component: Live, children: signedInPages }] },
      ...developmentPages,
    ],
  },
];

export const createRouter = () => createBrowserRouter(routes);
