import { updateRole, type Role } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useNavigate, useParams } from "react-router";
import { HostCountLink } from "../references/host-count-link.tsx";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { mutationsOf } from "../preview/preview-values.ts";
import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { DeleteCard } from "../ui/pages/delete-card.tsx";
import { EditPage } from "../ui/pages/edit-page.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { CopyIcon } from "../ui/base/icons.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { RoleForm } from "./role-form.tsx";
import { roleCopyPath, roleCrumbs, ROLES_PATH } from "../references/role-link.tsx";
import { toBody, toValues, type RoleValues } from "./role-values.ts";
import { roleQuery } from "../references/roles.queries.ts";

const DeleteRoleDialog = lazy(() => import("./delete-role-dialog.tsx"));

export function RoleEditPage() {
  const { roleID = "" } = useParams();
  const query = useQuery(roleQuery(roleID));
  usePageTitle(query.data ? `Edit ${query.data.name}` : "Edit role");
  return (
    <Loaded query={query} title="Edit role" crumbs={roleCrumbs}>
      {(role) => <EditRole key={role.id} role={role} />}
    </Loaded>
  );
}

function EditRole({ role }: { role: Role }) {
  const navigate = useNavigate();
  const { mutateAsync: update } = useWrite(updateRole, { invalidates: ["tags"] });
  const latest = toValues(role);

  async function save(values: RoleValues) {
    const { name } = await update({ params: { roleID: role.id }, body: toBody(values) });
    toast(`Role ${name} saved`, { tone: "ok" });
    await navigate(ROLES_PATH, nothingToLose);
  }

  return (
    <EditPage
      hasAside
      crumbs={roleCrumbs}
      name={role.name}
      actions={
        <LinkButton writes to={roleCopyPath(role.id)} icon={<CopyIcon />}>
          Duplicate
        </LinkButton>
      }
    >
      <Cards>
        <Card>
          <RoleForm
            initial={latest}
            latest={latest}
            hostCount={role.hostCount}
            submitLabel="Save"
            toMutations={(values) =>
              mutationsOf(updateRole, { params: { roleID: role.id }, body: toBody(values) })
            }
            save={save}
          />
        </Card>
        <RoleDetails role={role} />
        <DangerZone role={role} />
      </Cards>
    </EditPage>
  );
}

function RoleDetails({ role: { id, hostCount, createdAt, modifiedAt } }: { role: Role }) {
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <KeyValue label="Hosts">
          <HostCountLink count={hostCount} filter={{ roleID: id }} />
        </KeyValue>
        <CopyableKeyValue label="Role ID" value={id} />
        <TimeKeyValue label="Created" at={createdAt} />
        <TimeKeyValue label="Changed" at={modifiedAt} />
      </KeyValueList>
    </Card>
  );
}

function DangerZone({ role }: { role: Role }) {
  const navigate = useNavigate();
  return (
    <DeleteCard
      what="role"
      cost="Deletes this role and its rules. If it’s in use, you can remove it from hosts and rules in the same step."
    >
      {(close) => (
        <DeleteRoleDialog role={role} onClose={close} onDeleted={() => navigate(ROLES_PATH, nothingToLose)} />
      )}
    </DeleteCard>
  );
}
