import {
  ValidationError,
  type createNetworkV2,
  type BodyInputOf,
  type NetworkV2,
} from "@lightkeeper/contract";

export type AddressChoice = "ipv4" | "ipv6" | "both";
type CidrField = "ipv4Cidr" | "ipv6Cidr";

/** The values of the form. Addresses, ranges and curve can only be chosen when the network is created. */
export interface NetworkValues {
  name: string;
  description: string;
  addresses: AddressChoice;
  ipv4Cidr: string;
  ipv6Cidr: string;
  curve: NetworkV2["curve"];
  lighthousesAsRelays: boolean;
}

export const emptyNetwork: NetworkValues = {
  name: "",
  description: "",
  addresses: "ipv4",
  ipv4Cidr: "",
  ipv6Cidr: "",
  curve: "25519",
  lighthousesAsRelays: false,
};

export function toValues({ name, description, curve, lighthousesAsRelays }: NetworkV2): NetworkValues {
  return { ...emptyNetwork, name, description, curve, lighthousesAsRelays };
}

const cidrFields: Readonly<Record<AddressChoice, readonly CidrField[]>> = {
  ipv4: ["ipv4Cidr"],
  ipv6: ["ipv6Cidr"],
  both: ["ipv4Cidr", "ipv6Cidr"],
};

/** The fields of the ranges in the order in which they are sent. */
const sentCidrFields = (values: NetworkValues) =>
  cidrFields[values.addresses].filter((field) => values[field].trim() !== "");

export function toCreate(values: NetworkValues): BodyInputOf<typeof createNetworkV2> {
  const { name, description, addresses, curve, lighthousesAsRelays } = values;
  const cidrs = sentCidrFields(values).map((field) => values[field].trim());
  return {
    name,
    description,
    curve,
    certVersion: addresses === "ipv4" ? 1 : 2,
    lighthousesAsRelays,
    ...(cidrs.length > 0 && { cidrs }),
  };
}

function fieldOf(path: string, values: NetworkValues): string {
  if (path === "certVersion") return "addresses";
  if (path === "cidrs") return cidrFields[values.addresses][0] ?? path;
  const index = /^cidrs\[(\d)\]$/.exec(path)?.[1];
  return (index && sentCidrFields(values)[Number(index)]) || path;
}

/** Maps API paths to form fields: each range has a field of its own. */
export function mapNetworkErrors<E>(error: E, values: NetworkValues): E {
  if (!(error instanceof ValidationError)) return error;
  for (const entry of error.fieldErrors) if (entry.path) entry.path = fieldOf(entry.path, values);
  return error;
}
