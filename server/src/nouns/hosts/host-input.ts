import type { BodyOf, createHost, createHostV2 } from "@lightkeeper/contract";
import type { HostInput } from "./hosts.service.ts";

export const fromV1 = ({ ipAddress, ...body }: BodyOf<typeof createHost>): HostInput => ({
  ...body,
  addresses: ipAddress === undefined ? [] : [ipAddress],
});

export const fromV2 = ({ ipAddresses = [], ...body }: BodyOf<typeof createHostV2>): HostInput => ({
  ...body,
  addresses: ipAddresses,
});
