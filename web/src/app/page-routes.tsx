/** Turns the pages of the features into routes. */
import { Navigate, type RouteObject } from "react-router";
import type { FeaturePage, PageAccess } from "../lib/feature.ts";
import { lazyPage } from "../lib/lazy-page.ts";
import { RequireFlag, RequireOwner, RequireTypeUser, RequireUserToken } from "./guards.tsx";
import { Moved } from "./moved.tsx";
import { RequireWriter, RequireWriterOver } from "./read-only-page.tsx";

const guards = {
  writer: RequireWriter,
  dialogWriter: RequireWriterOver,
  user: RequireTypeUser,
  userToken: RequireUserToken,
} as const satisfies Record<Extract<PageAccess, string>, unknown>;

function guarded(access: PageAccess | undefined, route: RouteObject): RouteObject {
  if (access === undefined) return route;
  const children = [route];
  if (typeof access === "string") return { Component: guards[access], children };
  if ("flag" in access) return { element: <RequireFlag flag={access.flag} />, children };
  return { element: <RequireOwner redirectTo={access.ownerElse} />, children };
}

const outerPathOf = (page: FeaturePage) => ("within" in page ? page.within : undefined);

/** `all` contains the pages that other features show within this one. */
function toRoute(page: FeaturePage, all: readonly FeaturePage[]): RouteObject {
  if ("index" in page) return { index: true, element: null };
  const { path } = page;
  if ("redirectTo" in page) return { path, element: <Navigate to={page.redirectTo} replace /> };
  if ("movedTo" in page) return guarded(page.access, { path, element: <Moved to={page.movedTo} /> });
  const { handle, load, access, children = [] } = page;
  const inner = all.filter((candidate) => path !== undefined && outerPathOf(candidate) === path);
  const routes = [...children, ...inner].map((child) => toRoute(child, all));
  return guarded(access, {
    path,
    handle,
    lazy: lazyPage(load),
    ...(routes.length > 0 && { children: routes }),
  });
}

export const toRoutes = (pages: readonly FeaturePage[]): RouteObject[] =>
  pages.filter((page) => outerPathOf(page) === undefined).map((page) => toRoute(page, pages));
