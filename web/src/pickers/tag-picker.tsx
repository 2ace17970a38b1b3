import { TAGS_MAX, type TagListItem } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { foundOptions } from "../lib/picker-options.ts";
import { Field } from "../ui/forms/field.tsx";
import { MultiCombobox } from "../ui/pickers/multi-combobox.tsx";
import type { PickerProps } from "../ui/pickers/picker.ts";
import { foundTagsQuery } from "../references/tags.queries.ts";

/** Picks existing tags, up to the limit for a host or a rule. */
export function TagPicker({ label, hint, error, optional, ...props }: PickerProps<string[]>) {
  const [search, setSearch] = useState<string>();
  const found = useQuery({
    ...foundTagsQuery(search),
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
  });
  const isFull = props.value.length >= TAGS_MAX;
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      <MultiCombobox
        {...props}
        {...(isFull ? limitReached : foundOptions(found, search, toOption))}
        onSearch={setSearch}
        noun="tag"
      />
    </Field>
  );
}

const limitReached = { options: [], failure: `Up to ${TAGS_MAX} tags` };

const toOption = ({ name, description }: TagListItem) => ({ value: name, label: name, description });
