import type { HostV2 } from "@lightkeeper/contract";
import { parseIpv4 } from "@lightkeeper/nebula";
import { useState } from "react";
import { foundOptions } from "../lib/picker-options.ts";
import { useHostSearch } from "../pickers/host-picker.tsx";
import { Combobox, type ComboboxOption } from "../ui/pickers/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";

interface HostAddressPickerProps {
  label: string;
  hint: string;
  error: string | undefined;
  networkID: string;
  /** An overlay address; empty until one is chosen. */
  value: string;
  onChange: (address: string) => void;
}

/** Picks an overlay address by the name of its host. An address of no known host can be typed. */
export function HostAddressPicker(props: HostAddressPickerProps) {
  const { label, hint, error, networkID, value, onChange } = props;
  const [search, setSearch] = useState<string>();
  const [hostName, setHostName] = useState<string>();
  const found = useHostSearch(search, networkID);
  const { options, failure } = foundOptions(found, search, toOption);
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
        placeholder="Name or 100.100.0.2"
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
  const text = search?.trim().toLowerCase() ?? "";
  const matching = options?.filter(
    ({ value, label }) => value.includes(text) || label.toLowerCase().includes(text),
  );
  const address = addressIn(search);
  if (address === undefined) return matching;
  const exact = matching?.find(({ value }) => value === address) ?? { value: address, label: address };
  return [exact, ...(matching ?? []).filter(({ value }) => value !== address)];
}

function addressIn(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  return parseIpv4(trimmed) === undefined ? undefined : trimmed;
}

const toOption = ({ name, ipAddresses: [address = ""] }: HostV2): ComboboxOption => ({
  value: address,
  label: name,
  description: address,
});
