import type { Network } from "@lightkeeper/contract";

/** The values of the form. The CIDR can only be chosen when the network is created. */
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
