import { Combobox as AriakitCombobox, useComboboxStore } from "@ariakit/react/combobox";
import type { ComponentProps } from "react";
import { ComboboxOptions } from "../ui/pickers/combobox-options.tsx";
import type { ComboboxOption } from "../ui/pickers/combobox.tsx";
import { TextInput, useField } from "../ui/forms/field.tsx";
import { ANY_PORT, formatPorts } from "./port-values.ts";
import { services, type Service } from "./services.ts";

interface PortPickerProps extends Pick<ComponentProps<"input">, "name" | "onBlur" | "ref" | "disabled"> {
  value: string;
  onChange: (ports: string) => void;
  /** Called when a service is chosen, which may need another protocol. */
  onService: (service: Service) => void;
}

/** Ports by number or service name. The list only suggests: any text can be typed. */
export function PortPicker({ value, onChange, onService, ...input }: PortPickerProps) {
  const store = useComboboxStore({ inputValue: value, setInputValue: onChange, placement: "bottom-start" });
  function choose(chosen: string) {
    const service = services.find(({ name }) => name === chosen);
    onChange(service ? formatPorts(service) : ANY_PORT);
    if (service) onService(service);
  }
  const options = matchingOptions(value);
  return (
    <>
      <AriakitCombobox
        {...useField()}
        {...input}
        store={store}
        render={<TextInput mono />}
        autoComplete="list"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="22, 8000-8010, ssh, any"
        showOnChange={() => options.length > 0}
        {...(options.length === 0 && { "aria-expanded": false })}
      />
      {options.length > 0 && <ComboboxOptions store={store} options={options} onChoose={choose} />}
    </>
  );
}

const anyPort: ComboboxOption = { value: ANY_PORT, label: "Any", description: "all ports" };

const OPTIONS_MAX = 8;
const suggested = new Set(["ssh", "http", "https", "dns", "rdp", "postgresql", "mysql"]);

const startsWith = (typed: string, { name, label, from }: Service) =>
  [name, label.toLowerCase(), String(from)].some((text) => text.startsWith(typed));

/** Services whose name or port starts with the text; none if the text already is a port of one. */
function matchingOptions(text: string): ComboboxOption[] {
  const typed = text.trim().toLowerCase();
  const found = services.filter((service) =>
    typed === "" ? suggested.has(service.name) : startsWith(typed, service),
  );
  if (found.some((service) => formatPorts(service) === typed)) return [];
  const offersAnyPort = ANY_PORT.startsWith(typed) && typed !== ANY_PORT;
  return [...(offersAnyPort ? [anyPort] : []), ...found.map(toOption)].slice(0, OPTIONS_MAX);
}

const toOption = (service: Service): ComboboxOption => ({
  value: service.name,
  label: service.label,
  description: `${service.protocols.join(" and ")} ${formatPorts(service)}`,
});
