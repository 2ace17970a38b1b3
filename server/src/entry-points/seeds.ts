/** Test data of any size, for benchmarks, and the texts that the demo shares with it. */
export { readConfig } from "../infrastructure/config/config.ts";
export { createContext } from "../infrastructure/context/context.ts";
export { createHostsWithCodes } from "../seeds/hosts-with-codes.ts";
export { dateEntries, type TimeJump } from "../seeds/date-entries.ts";
export { deleteOrganizationOf } from "../seeds/delete-organization.ts";
export { FIXED } from "../seeds/host-kinds.ts";
export { type NetworkKey, NETWORKS } from "../seeds/networks.ts";
export { createOwner, logInOwner } from "../seeds/owner.ts";
export { type RoleIDs, type RoleKey, ROLES, toFirewallRule } from "../seeds/roles.ts";
export { ROUTES, toRouteRule } from "../seeds/routes.ts";
export { seed } from "../seeds/seed.ts";
export { type Site, SITES, TAGS } from "../seeds/tags.ts";
export { storeTraffic } from "../nouns/hosts/host-traffic.service.ts";
export type { HostInput } from "../nouns/hosts/hosts.service.ts";
