import { type createHostAndEnrollmentCodeV2, type BodyInputOf, type Role } from "@lightkeeper/contract";
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import { useQuery } from "@tanstack/react-query";
import { useForm, type UseFormReturn } from "react-hook-form";
import { useNetworkFilter } from "../references/network-filter.ts";
import { networkCountQuery, networkQuery } from "../references/networks.queries.ts";
import { allRolesQuery } from "../references/roles.queries.ts";
import { allTagsQuery } from "../references/tags.queries.ts";
import { addressFamilyOf } from "../lib/address-family.ts";
import { optionalIpv4Range } from "../on-demand/optional-ipv4-range.ts";
import { addressesOf, type HostRow, type RowContext } from "./host-rows.ts";

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
  /** Only for networks with IPv4 and IPv6. */
  assignIpv4: boolean;
  lifetimeSeconds: number;
  text: string;
}

export type AddSeveralForm = UseFormReturn<AddSeveralValues>;

export function useAddSeveralForm(): AddSeveralForm {
  const filter = useNetworkFilter();
  return useForm<AddSeveralValues>({
    defaultValues: {
      networkID: filter,
      roleID: null,
      tags: [],
      assignIpv4: true,
      lifetimeSeconds: DAY_SECONDS,
      text: "",
    },
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
    cidrs: network?.cidrs,
    roles: roles ?? [],
    roleNames: roles?.map(({ name }) => name),
    tagNames: tags?.map(({ name }) => name),
  };
}

/** Without an IPv4 address or range, a host in a network with IPv4 and IPv6 gets only an IPv6 address. */
function requestedAddresses(row: HostRow, { assignIpv4 }: AddSeveralValues, cidrs: readonly string[] = []) {
  const addresses = addressesOf(row);
  const ipv4Range = assignIpv4 ? optionalIpv4Range(cidrs) : undefined;
  const hasIpv4 = addresses.some((address) => addressFamilyOf(address) === "IPv4");
  return ipv4Range && !hasIpv4 ? [ipv4Range, ...addresses] : addresses;
}

/** The request body for a row. */
export function bodyOf(
  row: HostRow,
  values: AddSeveralValues & { networkID: string },
  { roles, cidrs }: RowContextWithRoles,
): BodyInputOf<typeof createHostAndEnrollmentCodeV2> {
  const { networkID, roleID, tags, lifetimeSeconds } = values;
  const ipAddresses = requestedAddresses(row, values, cidrs);
  const rowRole = roles.find(({ name }) => name.toLowerCase() === row.role.toLowerCase());
  return {
    name: row.name,
    networkID,
    roleID: rowRole?.id ?? roleID,
    tags: [...new Set([...tags, ...row.tags])],
    ...(ipAddresses.length > 0 && { ipAddresses }),
    codeLifetimeSeconds: lifetimeSeconds,
  };
}
