import { listHostsV2, type HostV2 } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foundOptions, searchOf } from "../lib/picker-options.ts";
import { read } from "../lib/query.ts";
import { Combobox } from "../ui/pickers/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";
import type { PickerProps } from "../ui/pickers/picker.ts";
import { hostQuery } from "../references/hosts.queries.ts";

export interface HostPickerProps extends PickerProps<string | null> {
  /** The label of the empty choice. Omit it if a host is required. */
  none?: string | undefined;
  /** Offers only the hosts of this network. */
  networkID?: string | undefined;
}

/** Picks a host, lighthouse or relay. The server searches by name, address, tag and role. */
export function HostPicker({ label, hint, error, optional, value, networkID, ...props }: HostPickerProps) {
  const [search, setSearch] = useState<string>();
  const { data: chosen } = useQuery({
    ...hostQuery(value ?? ""),
    enabled: value !== null,
  });
  const found = useHostSearch(search, networkID);
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <Combobox
        {...props}
        {...foundOptions(found, search, toOption)}
        value={value}
        selectedLabel={chosen?.name ?? value ?? ""}
        onSearch={setSearch}
      />
    </Field>
  );
}

/** Hosts that match the search; loads nothing while it is undefined. */
export function useHostSearch(search: string | undefined, networkID: string | undefined) {
  return useQuery({
    ...read(listHostsV2, { query: queryOf(search, networkID) }),
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
  });
}

const queryOf = (search: string | undefined, networkID: string | undefined) => ({
  ...searchOf(search),
  sort: "name" as const,
  ...(networkID && { "filter.networkID": networkID }),
});

const toOption = ({ id, name, ipAddresses }: HostV2) => ({
  value: id,
  label: name,
  description: ipAddresses.join(", "),
});
