import { useQuery } from "@tanstack/react-query";
import type { AuditTarget, NameLoaderProps } from "../references/audit-target.ts";
import { rolePath } from "../references/role-link.tsx";
import { roleQuery, useRoleName } from "../references/roles.queries.ts";

function NameLoader({ id, children }: NameLoaderProps) {
  const name = useRoleName(id);
  // Reads the result of the query above without another request.
  const { isError } = useQuery({ ...roleQuery(id), enabled: false });
  return children({ name, isMissing: isError });
}

export const role: AuditTarget = { label: "Roles", noun: "role", path: rolePath, NameLoader };
