import { createRole } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearchParams } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { RoleForm } from "./role-form.tsx";
import { COPY_PARAMETER, roleCrumbs, ROLES_PATH } from "../references/role-link.tsx";
import { copyOf, emptyRole, toBody, type RoleValues } from "./role-values.ts";
import { roleQuery } from "../references/roles.queries.ts";

/** Creates a role, or a copy of the role in the query string. */
export function RoleAddPage() {
  usePageTitle("Add role");
  const [parameters] = useSearchParams();
  const copiedID = parameters.get(COPY_PARAMETER);
  return copiedID === null ? <AddRole initial={emptyRole} /> : <CopyRole roleID={copiedID} />;
}

function CopyRole({ roleID }: { roleID: string }) {
  return (
    <Loaded query={useQuery(roleQuery(roleID))} title="Add role" crumbs={roleCrumbs}>
      {(role) => <AddRole key={role.id} initial={copyOf(role)} />}
    </Loaded>
  );
}

const toMutations = (values: RoleValues) => mutationsOf(createRole, { body: toBody(values) });

function AddRole({ initial }: { initial: RoleValues }) {
  const navigate = useNavigate();
  const { mutateAsync: create } = useWrite(createRole, { invalidates: ["tags"] });

  async function save(values: RoleValues) {
    const { name } = await create({ body: toBody(values) });
    toast(`Role ${name} added`, { tone: "ok" });
    await navigate(ROLES_PATH, nothingToLose);
  }

  return (
    <AddPage
      hasAside
      crumbs={roleCrumbs}
      title="Add role"
      lead="A role defines which inbound traffic a host accepts. A host has at most one role."
    >
      <RoleForm initial={initial} submitLabel="Add role" toMutations={toMutations} save={save} />
    </AddPage>
  );
}
