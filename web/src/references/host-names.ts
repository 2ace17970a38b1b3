import { useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import { allNetworksQuery } from "./networks.queries.ts";
import { allRolesQuery } from "./roles.queries.ts";

export interface HostNames {
  networks: readonly { id: string; name: string }[] | undefined;
  roles: readonly { id: string; name: string }[] | undefined;
  /** Undefined until the names are loaded. */
  networkName: (networkID: string) => string | undefined;
  roleName: (roleID: string) => string | undefined;
}

export const hostNamesOf = (networks: HostNames["networks"], roles: HostNames["roles"]): HostNames => ({
  networks,
  roles,
  networkName: (networkID) => networks?.find(({ id }) => id === networkID)?.name,
  roleName: (roleID) => roles?.find(({ id }) => id === roleID)?.name,
});

/** Names for the network and role IDs of hosts. */
export function useHostNames(): HostNames {
  const { data: networks } = useQuery(allNetworksQuery);
  const { data: roles } = useQuery(allRolesQuery);
  return useMemo(() => hostNamesOf(networks, roles), [networks, roles]);
}
