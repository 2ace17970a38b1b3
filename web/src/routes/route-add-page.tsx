import { createRoute } from "@lightkeeper/contract";
import { useNavigate } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { RouteForm } from "./route-form.tsx";
import { routeCrumbs, routePath } from "../references/route-link.tsx";
import { toBody, type RouteValues } from "./route-values.ts";

const toMutations = (values: RouteValues) => mutationsOf(createRoute, { body: toBody(values) });

export function RouteAddPage() {
  usePageTitle("Add route");
  const navigate = useNavigate();
  const { mutateAsync: create } = useWrite(createRoute, { invalidates: ["tags"] });

  async function save(values: RouteValues) {
    const { id, name } = await create({ body: toBody(values) });
    toast(`Route ${name} added. Now choose the tags it applies to.`, { tone: "ok" });
    await navigate(routePath(id), nothingToLose);
  }

  return (
    <AddPage
      hasAside
      crumbs={routeCrumbs}
      title="Add route"
      lead="Reach subnets that don’t run Nebula through a host that’s connected to them."
    >
      <RouteForm submitLabel="Add route" toMutations={toMutations} save={save} />
    </AddPage>
  );
}
