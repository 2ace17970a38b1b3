import type { HostV2 } from "@lightkeeper/contract";
import { formatIp, parseIp } from "@lightkeeper/nebula";
import { useState } from "react";
import { foundOptions } from "../lib/picker-options.ts";
import { addressToReach } from "../on-demand/address-to-reach.ts";
import { useHostSearch } from "../pickers/host-picker.tsx";
import { Combobox, type ComboboxOption } from "../ui/pickers/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";

interface HostAddressPickerProps {
  label: string;
  hint: string;
  error: string | undefined;
  /** The host that runs the command. */
  from: HostV2;
  /** An overlay address; empty until one is chosen. */
  value: string;
  onChange: (address: string) => void;
}

/** Picks an overlay address by the name of its host. An address of no known host can be typed. */
export function HostAddressPicker(props: HostAddressPickerProps) {
  const { label, hint, error, from, value, onChange } = props;
  const [search, setSearch] = useState<string>();
  const [hostName, setHostName] = useState<string>();
  const found = useHostSearch(search, from.networkID);
  const { options, failure } = foundOptions(found, search, (host) => toOption(host, from, addressIn(search)));
  const matching = matchingOptions(options, search);
  /** Enter right after typing can still choose an option of the previous list. */
  const isOutdated = (address: string | null) =>
    address !== null && !matching?.some((option) => option.value === address);

  function searchFor(text: string | undefined) {
    setSearch(text);
    const address = addressIn(text);
    if (address !== undefined) choose(address);
  }
  function choose(address: string) {
    setHostName(options?.find((option) => option.value === address)?.label);
    onChange(address);
  }

  return (
    <Field label={label} hint={hint} error={error}>
      <Combobox
        value={value}
        selectedLabel={hostName === undefined ? value : `${hostName} (${value})`}
        options={matching}
        failure={failure}
        placeholder="Name or address"
        onSearch={searchFor}
        onChange={(address) => choose(isOutdated(address) ? (addressIn(search) ?? value) : (address ?? ""))}
      />
    </Field>
  );
}

/**
 * The results of an earlier search are listed until the next ones arrive: without a filter, Enter would choose a host
 * that doesn't match the text. A complete address comes first.
 */
function matchingOptions(
  options: ComboboxOption[] | undefined,
  search: string | undefined,
): ComboboxOption[] | undefined {
  const address = addressIn(search);
  const text = address ?? search?.trim().toLowerCase() ?? "";
  const matching = options?.filter(
    ({ label, description = "" }) => label.toLowerCase().includes(text) || description.includes(text),
  );
  if (address === undefined) return matching;
  const exact = matching?.find(({ value }) => value === address) ?? { value: address, label: address };
  return [exact, ...(matching ?? []).filter(({ value }) => value !== address)];
}

/** In the canonical form, which the server uses too. */
function addressIn(text: string | undefined): string | undefined {
  const address = parseIp(text?.trim() ?? "");
  return address && formatIp(address);
}

function toOption(host: HostV2, from: HostV2, typed: string | undefined): ComboboxOption {
  const { name, ipAddresses } = host;
  const isTyped = typed !== undefined && ipAddresses.includes(typed);
  return {
    value: isTyped ? typed : addressToReach(host, from),
    label: name,
    description: ipAddresses.join(", "),
  };
}
