import type { NetworkV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { includesText } from "../lib/picker-options.ts";
import { Combobox } from "../ui/pickers/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";
import type { PickerProps } from "../ui/pickers/picker.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";

export interface NetworkPickerProps extends PickerProps<string | null> {
  /** The label of the empty choice. Omit it if a network is required. */
  none?: string | undefined;
}

export function NetworkPicker({ label, hint, error, optional, value, ...props }: NetworkPickerProps) {
  const [search, setSearch] = useState("");
  const { data, error: failure } = useQuery(allNetworksQuery);
  const chosen = data?.find(({ id }) => id === value);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <Combobox
        {...props}
        value={value}
        selectedLabel={chosen?.name ?? value ?? ""}
        options={data?.filter(({ name }) => includesText(name, search)).map(toOption)}
        failure={!data && failure ? messageOf(failure) : undefined}
        onSearch={(text = "") => setSearch(text)}
      />
    </Field>
  );
}

const toOption = ({ id, name, cidrs }: NetworkV2) => ({
  value: id,
  label: name,
  description: cidrs.join(", "),
});
