import type { BodyOf, createHost, createHostV2 } from "@lightkeeper/contract";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { HostInput } from "./hosts.service.ts";

export const fromV1 = ({ ipAddress, ...body }: BodyOf<typeof createHost>): HostInput => ({
  ...body,
  address: ipAddress,
});

export function fromV2({ ipAddresses = [], ...body }: BodyOf<typeof createHostV2>): HostInput {
  const [address, second] = ipAddresses;
  if (second !== undefined)
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "ipAddresses[1]",
      message: "hosts in this network have one IPv4 address",
    });
  return { ...body, address };
}
