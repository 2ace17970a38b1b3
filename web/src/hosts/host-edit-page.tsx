import { updateHostV3, type HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Navigate, useNavigate, useParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { usePageTitle } from "../lib/title.ts";
import { Card } from "../ui/pages/card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { HostForm } from "./host-form.tsx";
import { useHostKind } from "../references/host-kind.ts";
import { hostCrumbs, hostKinds, hostPath, kindOf } from "../references/host-link.tsx";
import { toUpdate, type HostValues } from "./host-values.ts";
import { hostQuery } from "../references/hosts.queries.ts";

export function HostEditPage() {
  const { hostID = "" } = useParams();
  const kind = useHostKind();
  const query = useQuery(hostQuery(hostID));
  const { label, path } = hostKinds[kind];
  usePageTitle(`Edit ${query.data?.name ?? kind}`);
  return (
    <Loaded query={query} title={`Edit ${kind}`} crumbs={[{ label, to: path }]}>
      {(host) =>
        kindOf(host) === kind ? (
          <EditHost key={host.id} host={host} />
        ) : (
          <Navigate to={`${hostPath(host)}/edit`} replace />
        )
      }
    </Loaded>
  );
}

function EditHost({ host }: { host: HostV2 }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateHostV3, { invalidates: ["roles", "tags"] });

  async function save(values: HostValues) {
    const saved = await update({ params: { hostID: host.id }, body: toUpdate(values) });
    toast(`${saved.name} saved`, { tone: "ok" });
    await navigate(hostPath(host), nothingToLose);
  }

  return (
    <EditPage
      hasAside
      crumbs={[...hostCrumbs(host), { label: host.name, to: hostPath(host) }]}
      name={host.name}
    >
      <Card>
        <HostForm
          kind={kindOf(host)}
          host={host}
          toMutations={(values) =>
            mutationsOf(updateHostV3, { params: { hostID: host.id }, body: toUpdate(values) })
          }
          save={save}
        />
      </Card>
    </EditPage>
  );
}
