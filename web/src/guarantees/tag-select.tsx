import type { TagListItem } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foundOptions } from "../lib/picker-options.ts";
import { foundTagsQuery } from "../references/tags.queries.ts";
import { Field } from "../ui/forms/field.tsx";
import { Combobox } from "../ui/pickers/combobox.tsx";
import type { PickerProps } from "../ui/pickers/picker.ts";

/** Picks one existing tag. */
export function TagSelect({ label, hint, error, optional, value, ...props }: PickerProps<string | null>) {
  const [search, setSearch] = useState<string>();
  const found = useQuery({
    ...foundTagsQuery(search),
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <Combobox
        {...props}
        {...foundOptions(found, search, toOption)}
        value={value}
        selectedLabel={value ?? ""}
        onSearch={setSearch}
      />
    </Field>
  );
}

const toOption = ({ name, description }: TagListItem) => ({ value: name, label: name, description });
