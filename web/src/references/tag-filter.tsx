import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FilterChip } from "../ui/tables/filter-chips.tsx";
import { foundTagsQuery } from "./tags.queries.ts";

interface TagFilterProps {
  /** Whether several tags can be chosen. */
  many?: boolean;
  chosen: readonly string[];
  onChange: (values: readonly string[]) => void;
}

export function TagFilter({ many = false, chosen, onChange }: TagFilterProps) {
  const [search, setSearch] = useState<string>();
  const { data } = useQuery({
    ...foundTagsQuery(search ?? ""),
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <FilterChip
      label="Tag"
      many={many}
      chosen={chosen}
      onChange={onChange}
      nameOf={(name) => name}
      choices={data?.data.map(({ name }) => ({ value: name, label: name }))}
      onSearch={setSearch}
    />
  );
}
