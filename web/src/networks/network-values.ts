import type { Network } from "@lightkeeper/contract";

/** What the form holds. The CIDR is chosen once, when the network is made. */
export interface NetworkValues {
  name: string;
  description: string;
  cidr: string;
  lighthousesAsRelays: boolean;
}

export const emptyNetwork: NetworkValues = {
  name: "",
  description: "",
  cidr: "",
  lighthousesAsRelays: false,
};

export function toValues({ name, description, cidr, lighthousesAsRelays }: Network): NetworkValues {
  return { name, description, cidr, lighthousesAsRelays };
}
