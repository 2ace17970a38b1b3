import type { RouteListItem } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { NounList } from "../on-demand/noun-list.tsx";
import { RouteIcon } from "../ui/base/icons.tsx";
import { routeColumns } from "./route-columns.tsx";
import { ROUTE_ADD_PATH } from "../references/route-link.tsx";
import { routesPageQuery } from "../references/routes.queries.ts";

const DeleteRouteDialog = lazy(() => import("./delete-route-dialog.tsx"));

export function RoutesPage() {
  const [deleting, setDeleting] = useState<RouteListItem>();
  const stopDeleting = () => setDeleting(undefined);
  return (
    <>
      <NounList
        title="Routes"
        lead="Reach subnets that don’t run Nebula through a host that’s connected to them."
        noun="route"
        addPath={ROUTE_ADD_PATH}
        searchLabel="Search name or description"
        queryOf={routesPageQuery}
        columns={routeColumns({ onDelete: setDeleting })}
        rowKey={({ id }) => id}
        icon={<RouteIcon />}
        first="Add a route to reach an office LAN or a VPC through one of your hosts."
      />
      <Suspense>
        {deleting && <DeleteRouteDialog route={deleting} onClose={stopDeleting} onDeleted={stopDeleting} />}
      </Suspense>
    </>
  );
}
