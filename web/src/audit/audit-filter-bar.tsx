import { auditActorKinds, auditEventTypes, auditTargetTypes } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/controls/button.tsx";
import { TextInput } from "../ui/forms/field.tsx";
import { FilterChip } from "../ui/tables/filter-chips.tsx";
import { DAYS, timeNames, type AuditFilterName, type AuditListState } from "./audit-filters.ts";
import { peopleQuery } from "./audit.queries.ts";
import styles from "./audit.module.css";
import { actorKindNames, eventNames, targetNames } from "./audit-labels.ts";

const choicesOf = (names: Readonly<Record<string, string>>, values: readonly string[] = Object.keys(names)) =>
  values.map((value) => ({ value, label: names[value] ?? value }));

const targetChoices = choicesOf(targetNames, auditTargetTypes);
const eventChoices = choicesOf(eventNames, auditEventTypes);
const timeChoices = choicesOf(timeNames);
const kindChoices = choicesOf(actorKindNames, auditActorKinds);

const nameIn = (names: Readonly<Record<string, string>>) => (value: string) => names[value] ?? value;

interface AuditFilterBarProps {
  state: AuditListState;
  /** What the object is called that the log is narrowed to. */
  targetName: string | undefined;
}

export function AuditFilterBar({ state, targetName }: AuditFilterBarProps) {
  const { filters, setFilter, isFiltered, clear } = state;
  const chip = (name: AuditFilterName) => ({
    chosen: filters[name],
    onChange: (values: readonly string[]) => setFilter(name, values),
  });
  const [targetID] = filters.targetID;
  return (
    <>
      {targetID !== undefined && (
        <FilterChip
          label="Object"
          {...chip("targetID")}
          nameOf={(id) => targetName ?? id}
          choices={[{ value: targetID, label: targetName ?? targetID }]}
        />
      )}
      <FilterChip label="Type" {...chip("targetType")} nameOf={nameIn(targetNames)} choices={targetChoices} />
      <ActorFilter {...chip("actor")} />
      <FilterChip label="Action" {...chip("action")} nameOf={nameIn(eventNames)} choices={eventChoices} />
      <FilterChip label="Time" {...chip("time")} nameOf={nameIn(timeNames)} choices={timeChoices} />
      {filters.time[0] === DAYS && <Days state={state} />}
      {isFiltered && (
        <Button variant="quiet" onClick={clear}>
          Clear
        </Button>
      )}
    </>
  );
}

interface ActorFilterProps {
  chosen: readonly string[];
  onChange: (values: readonly string[]) => void;
}

/** Offers the current members, the other kinds of actors, and any typed address of a former member. */
function ActorFilter({ chosen, onChange }: ActorFilterProps) {
  const [search, setSearch] = useState<string>();
  const { data: people, isError } = useQuery({ ...peopleQuery, enabled: search !== undefined });
  const typed = search?.trim().toLowerCase() ?? "";
  const known = [
    ...(people ?? []).map(({ email }) => ({ value: email, label: email })),
    ...kindChoices,
  ].filter(({ label }) => label.toLowerCase().includes(typed));
  const isAddress = typed.includes("@") && !known.some(({ value }) => value === typed);
  const choices = isAddress ? [...known, { value: typed, label: typed }] : known;
  return (
    <FilterChip
      label="Actor"
      chosen={chosen}
      onChange={onChange}
      nameOf={nameIn(actorKindNames)}
      choices={people || isError ? choices : undefined}
      onSearch={setSearch}
    />
  );
}

function Days({ state: { filters, setFilter } }: { state: AuditListState }) {
  const input = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      aria-label={label}
      value={filters[name][0] ?? ""}
      className={styles.date}
      onChange={({ currentTarget: { value } }) => setFilter(name, value ? [value] : [])}
    />
  );
  return (
    <span className={styles.dates}>
      {input("from", "From date")}
      <span aria-hidden="true">–</span>
      {input("to", "To date")}
    </span>
  );
}
