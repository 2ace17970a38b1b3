import { listRoles, PAGE_SIZE_MAX } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { foundOptions, includesText, searchOf } from "../lib/picker-options.ts";
import { read } from "../lib/query.ts";
import { Combobox } from "../ui/pickers/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";
import type { PickerProps } from "../ui/pickers/picker.ts";
import { allRolesQuery, useRoleName } from "../references/roles.queries.ts";

export interface RolePickerProps extends PickerProps<string | null> {
  /** The label of the empty choice. Omit it if a role is required. */
  none?: string | undefined;
}

export function RolePicker({ label, hint, error, optional, value, ...props }: RolePickerProps) {
  const [search, setSearch] = useState<string>();
  const name = useRoleName(value);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <Combobox
        {...props}
        {...useRoleOptions(search)}
        value={value}
        selectedLabel={name ?? value ?? ""}
        onSearch={setSearch}
      />
    </Field>
  );
}

/** Searches in the browser if every role is loaded, otherwise on the server. */
function useRoleOptions(search: string | undefined) {
  const all = useQuery({ ...allRolesQuery, enabled: search !== undefined });
  const isComplete = all.data !== undefined && all.data.length < PAGE_SIZE_MAX;
  const searched = useQuery({
    ...read(listRoles, { query: searchOf(search) }),
    enabled: search !== undefined && all.data !== undefined && !isComplete,
    placeholderData: keepPreviousData,
  });
  const toOption = ({ id, name, description }: { id: string; name: string; description: string }) => ({
    value: id,
    label: name,
    description,
  });
  if (!isComplete && all.data) return foundOptions(searched, search, toOption);
  return {
    options: all.data?.filter(({ name }) => includesText(name, search ?? "")).map(toOption),
    failure: !all.data && all.error ? messageOf(all.error) : undefined,
  };
}
