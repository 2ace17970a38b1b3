import type { Role } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { AccessTabs } from "../on-demand/access-tabs.tsx";
import { NounList } from "../on-demand/noun-list.tsx";
import { RoleIcon } from "../ui/base/icons.tsx";
import { roleColumns } from "./role-columns.tsx";
import { ROLE_ADD_PATH } from "../references/role-link.tsx";
import { rolesPageQuery } from "../references/roles.queries.ts";

const DeleteRoleDialog = lazy(() => import("./delete-role-dialog.tsx"));

export function RolesPage() {
  const [deleting, setDeleting] = useState<Role>();
  const stopDeleting = () => setDeleting(undefined);
  return (
    <>
      <NounList
        tabs={<AccessTabs />}
        title="Roles"
        lead="A role defines which inbound traffic a host accepts. A host has at most one role."
        noun="role"
        addPath={ROLE_ADD_PATH}
        searchLabel="Search name or description"
        queryOf={rolesPageQuery}
        columns={roleColumns({ onDelete: setDeleting })}
        rowKey={({ id }) => id}
        icon={<RoleIcon />}
        first="Create a role for each kind of host, add firewall rules, then assign it."
      />
      <Suspense>
        {deleting && <DeleteRoleDialog role={deleting} onClose={stopDeleting} onDeleted={stopDeleting} />}
      </Suspense>
    </>
  );
}
