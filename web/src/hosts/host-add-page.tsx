import { createHostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { failureOf } from "../lib/list-page.ts";
import { useNetworkFilter } from "../references/network-filter.ts";
import { useWrite } from "../lib/query.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { usePageTitle } from "../lib/title.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { allRolesQuery } from "../references/roles.queries.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { Card } from "../ui/pages/card.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { EditorPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { HostForm } from "./host-form.tsx";
import { useHostKind } from "../references/host-kind.ts";
import { hostKinds, hostPath, type HostKind } from "../references/host-link.tsx";
import { cidrsOf } from "./network-cidrs.ts";
import { toCreate, type HostValues } from "./host-values.ts";

/** Every new organization has a role with this name. */
const LIGHTHOUSE_ROLE = "Lighthouse";

export function HostAddPage() {
  const kind = useHostKind();
  const { label, path } = hostKinds[kind];
  usePageTitle(`Add ${kind}`);
  return (
    <EditorPage
      header={
        <PageHeader
          breadcrumb={<Breadcrumb crumbs={[{ label, to: path }]} />}
          title={`Add ${kind}`}
          lead={
            kind === "host" ? (
              <>
                Add the host here, then enroll the machine on the next page. You can also{" "}
                <Link to={`${path}/add-several`}>add several hosts</Link>.
              </>
            ) : (
              `Add the ${kind} here, then enroll the machine on the next page.`
            )
          }
        />
      }
    >
      <Card>
        <AddHost key={kind} kind={kind} />
      </Card>
    </EditorPage>
  );
}

function AddHost({ kind }: { kind: HostKind }) {
  const navigate = useNavigate();
  const filterNetworkID = useNetworkFilter();
  const { data: networks, error, isFetching, refetch } = useQuery(allNetworksQuery);
  const { mutateAsync: create } = useWrite(createHostV2, { invalidates: ["networks", "roles", "tags"] });

  const bodyOf = (values: HostValues) =>
    toCreate(values, kind, cidrsOf(networks ?? [], values.networkID) ?? []);
  async function save(values: HostValues) {
    const host = await create({ body: bodyOf(values) });
    toast(`${host.name} added`, { tone: "ok" });
    await navigate(`${hostPath(host)}/enroll`, nothingToLose);
  }

  const isLighthouse = kind === "lighthouse";
  const roles = useQuery({ ...allRolesQuery, enabled: isLighthouse });

  // Waits for what the form preselects: the filtered or the only network, and the role of a lighthouse.
  if (!networks || (isLighthouse && roles.isLoading))
    return error ? (
      <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Spinner delayed />
    );
  const defaultNetwork =
    networks.find(({ id }) => id === filterNetworkID) ?? (networks.length === 1 ? networks[0] : undefined);
  return (
    <HostForm
      kind={kind}
      networks={networks}
      networkID={defaultNetwork?.id ?? null}
      roleID={isLighthouse ? roles.data?.find(({ name }) => name === LIGHTHOUSE_ROLE)?.id : undefined}
      toMutations={(values) => mutationsOf(createHostV2, { body: bodyOf(values) })}
      save={save}
    />
  );
}
