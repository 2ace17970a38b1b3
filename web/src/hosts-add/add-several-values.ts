import { type createHostAndEnrollmentCodeV2, type BodyInputOf, type Role } from "@lightkeeper/contract";
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import { useQuery } from "@tanstack/react-query";
import { useForm, type UseFormReturn } from "react-hook-form";
import { useNetworkFilter } from "../references/network-filter.ts";
import { networkCountQuery, networkQuery } from "../references/networks.queries.ts";
import { allRolesQuery } from "../references/roles.queries.ts";
import { allTagsQuery } from "../references/tags.queries.ts";
import type { HostRow, RowContext } from "./host-rows.ts";

export const lifetimes = [
  { label: "24 hours", seconds: DAY_SECONDS },
  { label: "7 days", seconds: 7 * DAY_SECONDS },
  { label: "30 days", seconds: 30 * DAY_SECONDS },
];

export interface AddSeveralValues {
  networkID: string | null;
  /** For rows without a role. */
  roleID: string | null;
  /** Added to the tags of every row. */
  tags: string[];
  lifetimeSeconds: number;
  text: string;
}

export type AddSeveralForm = UseFormReturn<AddSeveralValues>;

export function useAddSeveralForm(): AddSeveralForm {
  const filter = useNetworkFilter();
  return useForm<AddSeveralValues>({
    defaultValues: { networkID: filter, roleID: null, tags: [], lifetimeSeconds: DAY_SECONDS, text: "" },
  });
}

/** The ID of the only network, to preselect it. */
export function useOnlyNetworkID(): string | null {
  const { data } = useQuery(networkCountQuery);
  return data?.metadata.totalCount === 1 ? (data.data[0]?.id ?? null) : null;
}

export interface RowContextWithRoles extends RowContext {
  roles: readonly Role[];
}

export function useRowContext(networkID: string | null): RowContextWithRoles {
  const { data: network } = useQuery({ ...networkQuery(networkID ?? ""), enabled: networkID !== null });
  const { data: roles } = useQuery(allRolesQuery);
  const { data: tags } = useQuery(allTagsQuery);
  return {
    cidr: network?.cidrs[0],
    roles: roles ?? [],
    roleNames: roles?.map(({ name }) => name),
    tagNames: tags?.map(({ name }) => name),
  };
}

/** The request body for a row. */
export function bodyOf(
  row: HostRow,
  { networkID, roleID, tags, lifetimeSeconds }: AddSeveralValues & { networkID: string },
  roles: readonly Role[],
): BodyInputOf<typeof createHostAndEnrollmentCodeV2> {
  const rowRole = roles.find(({ name }) => name.toLowerCase() === row.role.toLowerCase());
  return {
    name: row.name,
    networkID,
    roleID: rowRole?.id ?? roleID,
    tags: [...new Set([...tags, ...row.tags])],
    ...(row.address && { ipAddresses: [row.address] }),
    codeLifetimeSeconds: lifetimeSeconds,
  };
}
