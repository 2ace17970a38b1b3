import type { Route } from "@lightkeeper/contract";
import { Link } from "react-router";
import styles from "./routes.module.css";

export const ROUTES_PATH = "/routes";
export const ROUTE_ADD_PATH = "/routes/add";
export const routePath = (id: string) => `${ROUTES_PATH}/${encodeURIComponent(id)}`;

/** The way to a route's pages. */
export const routeCrumbs = [{ label: "Routes", to: ROUTES_PATH }];

export function RouteLink({ route }: { route: Pick<Route, "id" | "name"> }) {
  return (
    <Link to={routePath(route.id)} className={styles.link} dir="auto">
      {route.name}
    </Link>
  );
}
