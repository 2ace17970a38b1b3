import type { HostV2, Role } from "@lightkeeper/contract";
import { formatIp, parseIp } from "@lightkeeper/nebula";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "../lib/format.ts";
import { foundOptions, includesText } from "../lib/picker-options.ts";
import { useHostSearch } from "../pickers/host-picker.tsx";
import { allRolesQuery } from "../references/roles.queries.ts";
import { Field } from "../ui/forms/field.tsx";
import { Combobox, type ComboboxOption } from "../ui/pickers/combobox.tsx";
import { formatParty, parseParty, type AccessParty } from "./access-question.ts";
import type { ShownParty } from "./use-party.ts";

interface HostOrRolePickerProps {
  label: string;
  value: AccessParty | undefined;
  shown: ShownParty;
  onChange: (party: AccessParty | undefined) => void;
  /** Also accepts an address behind a route. */
  acceptsAddress?: boolean;
  autoFocus?: boolean;
}

const ROLES_SHOWN = 6;
/** Keeps the height of a field without a description. */
const EMPTY_HINT = "\u00A0";

export function HostOrRolePicker({ label, value, shown, onChange, ...props }: HostOrRolePickerProps) {
  const { acceptsAddress = false, autoFocus = false } = props;
  const [search, setSearch] = useState<string>();
  return (
    <Field label={label} hint={shown.description || EMPTY_HINT}>
      <Combobox
        {...useOptions(search, acceptsAddress)}
        value={formatParty(value) || null}
        selectedLabel={shown.name}
        placeholder={acceptsAddress ? "Host, role or address" : "Host or role"}
        autoFocus={autoFocus}
        onSearch={setSearch}
        onChange={(chosen) => onChange(parseParty(chosen))}
      />
    </Field>
  );
}

/** Matching roles, followed by hosts and, if it is one, the typed address. */
function useOptions(search: string | undefined, acceptsAddress: boolean) {
  const { data: roles } = useQuery({ ...allRolesQuery, enabled: search !== undefined });
  const hosts = foundOptions(useHostSearch(search, undefined), search, hostOption);
  const typed = (search ?? "").trim();
  const matchingRoles = roles?.filter(({ name }) => includesText(name, typed)).slice(0, ROLES_SHOWN) ?? [];
  const address = acceptsAddress ? parseIp(typed) : undefined;
  const others = [
    ...matchingRoles.map(roleOption),
    ...(hosts.options ?? []),
    ...(address ? [addressOption(formatIp(address))] : []),
  ];
  const isLoading = hosts.options === undefined && hosts.failure === undefined;
  return { options: isLoading && others.length === 0 ? undefined : others, failure: hosts.failure };
}

const hostOption = ({ id, name, ipAddresses }: HostV2): ComboboxOption => ({
  value: id,
  label: name,
  description: ipAddresses.join(", "),
});

const roleOption = ({ id, name, hostCount }: Role): ComboboxOption => ({
  value: id,
  label: name,
  description: `Role · ${formatCount(hostCount, "host")}`,
});

const addressOption = (address: string): ComboboxOption => ({
  value: address,
  label: address,
  description: "Address behind a route",
});
