/** Test data of any size, for benchmarks. */
export { createHostsWithCodes } from "../seeds/hosts-with-codes.ts";
export { createOwner, logInOwner } from "../seeds/owner.ts";
export { seed } from "../seeds/seed.ts";
export type { HostInput } from "../nouns/hosts/hosts.service.ts";
