import { type createHostAndEnrollmentCodeV2, type BodyInputOf, type Role } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useForm, type UseFormReturn } from "react-hook-form";
import { useNetworkFilter } from "../lib/network-filter.ts";
import { networkCountQuery, networkQuery } from "../references/networks.queries.ts";
import { allRolesQuery } from "../references/roles.queries.ts";
import { allTagsQuery } from "../references/tags.queries.ts";
import type { HostRow, KnownThings } from "./host-rows.ts";

const DAY_SECONDS = 86_400;
/** How long the codes work: long enough to reach the last machine. */
export const lifetimes = [
  { label: "24 hours", seconds: DAY_SECONDS },
  { label: "7 days", seconds: 7 * DAY_SECONDS },
  { label: "30 days", seconds: 30 * DAY_SECONDS },
];

export interface SeveralValues {
  networkID: string | null;
  /** Of the hosts whose row names none. */
  roleID: string | null;
  /** Of every host, beside those of its row. */
  tags: string[];
  lifetimeSeconds: number;
  text: string;
}

export type SeveralForm = UseFormReturn<SeveralValues>;

export function useSeveralForm(): SeveralForm {
  const filter = useNetworkFilter();
  return useForm<SeveralValues>({
    defaultValues: { networkID: filter, roleID: null, tags: [], lifetimeSeconds: DAY_SECONDS, text: "" },
  });
}

/** Where there is one network only, it is the one that is meant. */
export function useOnlyNetwork(): string | null {
  const { data } = useQuery(networkCountQuery);
  return data?.metadata.totalCount === 1 ? (data.data[0]?.id ?? null) : null;
}

export interface Known extends KnownThings {
  roles: readonly Role[];
}

/** What the rows are held against. */
export function useKnown(networkID: string | null): Known {
  const { data: network } = useQuery({ ...networkQuery(networkID ?? ""), enabled: networkID !== null });
  const { data: roles } = useQuery(allRolesQuery);
  const { data: tags } = useQuery(allTagsQuery);
  return {
    cidr: network?.cidr,
    roles: roles ?? [],
    roleNames: roles?.map(({ name }) => name),
    tagNames: tags?.map(({ name }) => name),
  };
}

/** What is sent for a row. */
export function bodyOf(
  row: HostRow,
  { networkID, roleID, tags, lifetimeSeconds }: SeveralValues & { networkID: string },
  roles: readonly Role[],
): BodyInputOf<typeof createHostAndEnrollmentCodeV2> {
  const ownRole = roles.find(({ name }) => name.toLowerCase() === row.role.toLowerCase());
  return {
    name: row.name,
    networkID,
    roleID: ownRole?.id ?? roleID,
    tags: [...new Set([...tags, ...row.tags])],
    ...(row.address && { ipAddresses: [row.address] }),
    codeLifetimeSeconds: lifetimeSeconds,
  };
}
