import type { RouteListItem } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { includesText } from "../lib/picker-options.ts";
import { Field } from "../ui/forms/field.tsx";
import { MultiCombobox } from "../ui/pickers/multi-combobox.tsx";
import type { PickerProps } from "../ui/pickers/picker.ts";
import { allRoutesQuery } from "../references/routes.queries.ts";

export function RoutePicker({ label, hint, error, optional, ...props }: PickerProps<string[]>) {
  const [search, setSearch] = useState("");
  const { data, error: failure } = useQuery(allRoutesQuery);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <MultiCombobox
        {...props}
        noun="route"
        labelOf={(id) => data?.find((route) => route.id === id)?.name ?? id}
        options={data?.filter(({ name }) => includesText(name, search)).map(toOption)}
        failure={!data && failure ? messageOf(failure) : undefined}
        onSearch={(text = "") => setSearch(text)}
      />
    </Field>
  );
}

const toOption = ({ id, name, routableCIDRs }: RouteListItem) => ({
  value: id,
  label: name,
  description: Object.keys(routableCIDRs).join(", "),
});
