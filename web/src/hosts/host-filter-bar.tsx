import { hostStatuses } from "@lightkeeper/contract";
import { rememberNetworkFilter } from "../references/network-filter.ts";
import { TagFilter } from "../references/tag-filter.tsx";
import { Button } from "../ui/controls/button.tsx";
import { FilterChip } from "../ui/tables/filter-chips.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import {
  secondaryFilters,
  statusLabels,
  type HostFilterName,
  type HostListState,
} from "../references/host-filters.ts";
import type { HostKind } from "../references/host-link.tsx";
import type { HostNames } from "../references/host-names.ts";

interface HostFilterBarProps {
  kind: HostKind;
  state: HostListState;
  names: HostNames;
}

export function HostFilterBar({ kind, state, names }: HostFilterBarProps) {
  const { filters, setFilter, isFiltered, clear } = state;
  const chip = (name: HostFilterName) => ({
    chosen: filters[name],
    onChange: (values: readonly string[]) => setFilter(name, values),
  });
  return (
    <>
      <NetworkFilter state={state} names={names} />
      <FilterChip
        label="Status"
        {...chip("status")}
        nameOf={(status) => statusChoices.find(({ value }) => value === status)?.label ?? status}
        choices={statusChoices}
      />
      <FilterChip
        label="Role"
        {...chip("roleID")}
        nameOf={(id) => roleFilterLabels[id] ?? names.roleName(id) ?? id}
        choices={
          names.roles && [
            ...names.roles.map(({ id, name }) => ({ value: id, label: name })),
            ...Object.entries(roleFilterLabels).map(([value, label]) => ({ value, label })),
          ]
        }
      />
      <TagFilter many {...chip("tag")} />
      <SecondaryFilters kind={kind} state={state} />
      {isFiltered && (
        <Button
          variant="quiet"
          onClick={() => {
            rememberNetworkFilter(undefined);
            clear();
          }}
        >
          Clear
        </Button>
      )}
    </>
  );
}

const statusChoices = hostStatuses.map((status) => ({ value: status, label: statusLabels[status] }));
const roleFilterLabels: Readonly<Record<string, string>> = { null: "No role", any: "Any role" };

function NetworkFilter({
  state: { filters, setFilter },
  names,
}: Pick<HostFilterBarProps, "state" | "names">) {
  return (
    <FilterChip
      label="Network"
      chosen={filters.networkID}
      onChange={([networkID]) => {
        rememberNetworkFilter(networkID);
        setFilter("networkID", networkID ? [networkID] : []);
      }}
      nameOf={(id) => names.networkName(id) ?? id}
      choices={names.networks?.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}

type SecondaryFilterName = keyof typeof secondaryFilters;

const secondaryNamesOf = (kind: HostKind) =>
  (Object.keys(secondaryFilters) as SecondaryFilterName[]).filter(
    (name) => name !== "kind" || kind === "host",
  );

/** A menu of filters; each active one is also shown as a chip. */
function SecondaryFilters({
  kind,
  state: { filters, setFilter },
}: Pick<HostFilterBarProps, "kind" | "state">) {
  const secondaryNames = secondaryNamesOf(kind);
  const nameOf = (name: SecondaryFilterName, value: string) =>
    (secondaryFilters[name].names as Readonly<Record<string, string>>)[value] ?? value;
  return (
    <>
      {secondaryNames.map(
        (name) =>
          filters[name].length > 0 && (
            <FilterChip
              key={name}
              label={secondaryFilters[name].label}
              chosen={filters[name]}
              onChange={(values) => setFilter(name, values)}
              nameOf={(value) => nameOf(name, value)}
              choices={Object.keys(secondaryFilters[name].names).map((value) => ({
                value,
                label: nameOf(name, value),
              }))}
            />
          ),
      )}
      <Menu
        placement="bottom-start"
        trigger={
          <Button variant="quiet" icon={<PlusIcon width={12} height={12} />}>
            More
          </Button>
        }
        items={secondaryNames.flatMap((name) => [
          { text: secondaryFilters[name].label },
          ...Object.keys(secondaryFilters[name].names).map((value) => {
            const checked = filters[name][0] === value;
            return {
              label: nameOf(name, value),
              checked,
              onSelect: () => setFilter(name, checked ? [] : [value]),
            };
          }),
        ])}
      />
    </>
  );
}
