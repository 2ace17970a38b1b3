import type { HostState } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { hostKinds } from "../references/host-link.tsx";
import { RouteLink } from "../references/route-link.tsx";
import { Card } from "../ui/pages/card.tsx";
import styles from "./host-page.module.css";

const tagsLabel = (tags: readonly string[]) => `${tags.length === 1 ? "tag" : "tags"} ${tags.join(", ")}`;

/** The routes that the host serves and uses. */
export function RoutesCard({ state: { routesServed, routesUsed } }: { state: HostState }) {
  if (routesServed.length === 0 && routesUsed.length === 0) return null;
  return (
    <Card title="Routes" padded={false}>
      <ul aria-label="Routes" className={styles.rows}>
        {routesServed.map((route) => (
          <RouteRow
            key={`serves ${route.id}`}
            route={route}
            origin={route.tags.length === 0 ? "used by no tag" : `used by ${tagsLabel(route.tags)}`}
          >
            Serves <Cidrs cidrs={route.cidrs} />
          </RouteRow>
        ))}
        {routesUsed.map((route) => (
          <RouteRow key={`uses ${route.id}`} route={route} origin={`from ${tagsLabel(route.tags)}`}>
            Uses <Cidrs cidrs={route.cidrs} /> through <Router router={route.router} />
          </RouteRow>
        ))}
      </ul>
    </Card>
  );
}

interface RouteRowProps {
  route: { id: string; name: string };
  origin: string;
  children: ReactNode;
}

function RouteRow({ route, origin, children }: RouteRowProps) {
  return (
    <li className={styles.row}>
      <p>{children}</p>
      <p className={styles.origin}>
        <RouteLink route={route} /> · <bdi>{origin}</bdi>
      </p>
    </li>
  );
}

const Cidrs = ({ cidrs }: { cidrs: readonly string[] }) =>
  cidrs.length === 0 ? "no subnet" : <code className={styles.mono}>{cidrs.join(", ")}</code>;

function Router({
  router: { vpnIp, hostID, hostName },
}: {
  router: HostState["routesUsed"][number]["router"];
}) {
  if (hostID === undefined) return <code className={styles.mono}>{vpnIp}</code>;
  return (
    <Link to={`${hostKinds.host.path}/${encodeURIComponent(hostID)}`} dir="auto">
      {hostName ?? hostID}
    </Link>
  );
}
