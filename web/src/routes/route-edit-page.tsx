import { updateRoute, type Route } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useNavigate, useParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { usePageTitle } from "../lib/title.ts";
import { Card } from "../ui/pages/card.tsx";
import { DeleteCard } from "../ui/pages/delete-card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { CopyableKeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { RouteForm } from "./route-form.tsx";
import { routeCrumbs, ROUTES_PATH } from "../references/route-link.tsx";
import { toBody, toValues, type RouteValues } from "./route-values.ts";
import { routeQuery } from "../references/routes.queries.ts";
import { Subscribers } from "./subscribers.tsx";

const DeleteRouteDialog = lazy(() => import("./delete-route-dialog.tsx"));

export function RouteEditPage() {
  const { routeID = "" } = useParams();
  const query = useQuery(routeQuery(routeID));
  usePageTitle(query.data ? `Edit ${query.data.name}` : "Edit route");
  return (
    <Loaded query={query} title="Edit route" crumbs={routeCrumbs}>
      {(route) => <EditRoute key={route.id} route={route} />}
    </Loaded>
  );
}

function EditRoute({ route }: { route: Route }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateRoute, { invalidates: ["tags"] });

  async function save(values: RouteValues) {
    const { name } = await update({ params: { routeID: route.id }, body: toBody(values) });
    toast(`Route ${name} saved`, { tone: "ok" });
    await navigate(ROUTES_PATH, nothingToLose);
  }

  return (
    <EditPage hasAside crumbs={routeCrumbs} name={route.name}>
      <Cards>
        <Subscribers route={route} />
        <Card title="Route">
          <RouteForm
            latest={toValues(route)}
            submitLabel="Save"
            toMutations={(values) =>
              mutationsOf(updateRoute, { params: { routeID: route.id }, body: toBody(values) })
            }
            save={save}
          />
        </Card>
        <RouteDetails route={route} />
        <DangerZone route={route} />
      </Cards>
    </EditPage>
  );
}

function RouteDetails({ route: { id, createdAt, modifiedAt } }: { route: Route }) {
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <CopyableKeyValue label="Route ID" value={id} />
        <TimeKeyValue label="Created" at={createdAt} />
        <TimeKeyValue label="Changed" at={modifiedAt} />
      </KeyValueList>
    </Card>
  );
}

function DangerZone({ route }: { route: Route }) {
  const navigate = useNavigate();
  return (
    <DeleteCard
      what="route"
      cost="Deletes this route. Hosts can no longer reach the subnets behind its router."
    >
      {(close) => (
        <DeleteRouteDialog
          route={route}
          onClose={close}
          onDeleted={() => navigate(ROUTES_PATH, nothingToLose)}
        />
      )}
    </DeleteCard>
  );
}
