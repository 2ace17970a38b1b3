import { useState } from "react";
import { Combobox } from "../pickers/combobox.tsx";
import { Field } from "../forms/field.tsx";
import styles from "./kit-page.module.css";
import { MultiCombobox } from "../pickers/multi-combobox.tsx";
import { ReorderList } from "../on-demand/reorder-list.tsx";
import { moveItem } from "../on-demand/reorder.ts";

const ports = [
  "Harbour",
  "Lighthouse",
  "مرفأ",
  "A harbor with a name that is too long to fit into any of these controls",
];
const options = ports.map((label, index) => ({ value: label, label, description: `Berth ${index + 1}` }));

export function KitPickers() {
  return (
    <section className={styles.section} aria-label="Pickers">
      <h2 className={styles.heading}>Comboboxes and reordering</h2>
      <One />
      <Several />
      <Order />
    </section>
  );
}

function useSearch() {
  const [search, setSearch] = useState("");
  const found = options.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
  return { options: found, onSearch: (text = "") => setSearch(text) };
}

function One() {
  const [value, setValue] = useState<string | null>(null);
  return (
    <Field label="One of many">
      <Combobox
        {...useSearch()}
        value={value}
        onChange={setValue}
        selectedLabel={value ?? ""}
        none="No harbour"
      />
    </Field>
  );
}

function Several() {
  const [value, setValue] = useState<string[]>(["Harbour"]);
  return (
    <Field label="Several of many" hint="Backspace removes the last one.">
      <MultiCombobox {...useSearch()} noun="harbour" value={value} onChange={setValue} />
    </Field>
  );
}

function Order() {
  const [items, setItems] = useState(ports);
  return (
    <ReorderList
      label="Harbors in order"
      items={items}
      keyOf={(item) => item}
      nameOf={(item) => item}
      onMove={(from, to) => setItems(moveItem(items, from, to))}
    >
      {(item) => <bdi>{item}</bdi>}
    </ReorderList>
  );
}
