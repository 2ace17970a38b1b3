import type { Route } from "@lightkeeper/contract";
import { NameLink } from "../ui/text/name-link.tsx";

export const ROUTES_PATH = "/routes";
export const ROUTE_ADD_PATH = "/routes/add";
export const routePath = (id: string) => `${ROUTES_PATH}/${encodeURIComponent(id)}`;

/** The breadcrumbs of a route's pages. */
export const routeCrumbs = [{ label: "Routes", to: ROUTES_PATH }];

export function RouteLink({ route }: { route: Pick<Route, "id" | "name"> }) {
  return <NameLink to={routePath(route.id)}>{route.name}</NameLink>;
}
