import {
  ValidationError,
  type ConfigOverrides,
  type HostV2,
  type HostV2CreateInput,
} from "@lightkeeper/contract";
import { addressFamilyOf } from "../lib/address-family.ts";
import { findEntry } from "../lib/errors.ts";
import { optionalIpv4Range } from "../on-demand/optional-ipv4-range.ts";
import { kindDetails } from "../references/host-kind.ts";
import type { HostKind } from "../references/host-link.tsx";

/** The values of the form. Network, addresses and kind can only be chosen when the host is created. */
export interface HostValues {
  name: string;
  networkID: string | null;
  roleID: string | null;
  tags: string[];
  /** Only for networks with IPv4 and IPv6. */
  assignIpv4: boolean;
  /** An address, or a range to assign one from. An empty text requests a free address. */
  ipv4Address: string;
  ipv6Address: string;
  staticAddresses: string[];
  /** As typed; empty means a random port. */
  listenPort: string;
  configOverrides: ConfigOverrides;
  description: string;
  owner: string;
}

/** The default port of Nebula. */
const DEFAULT_PORT = "4242";

const freeAddresses = { assignIpv4: true, ipv4Address: "", ipv6Address: "" };

export const emptyHost = (
  kind: HostKind,
  networkID: string | null,
  roleID: string | null = null,
): HostValues => ({
  name: "",
  networkID,
  roleID,
  tags: [],
  ...freeAddresses,
  staticAddresses: [],
  listenPort: kind === "host" ? "" : DEFAULT_PORT,
  configOverrides: [],
  description: "",
  owner: "",
});

export const toValues = (host: HostV2): HostValues => ({
  name: host.name,
  networkID: host.networkID,
  roleID: host.roleID,
  tags: host.tags,
  ...freeAddresses,
  staticAddresses: host.staticAddresses,
  listenPort: host.listenPort === 0 ? "" : String(host.listenPort),
  configOverrides: host.configOverrides,
  description: host.description,
  owner: host.owner,
});

/** Removes empty lines, so that an index in a server error is the index in the form. */
export const trimEmptyLines = (values: HostValues): HostValues => ({
  ...values,
  staticAddresses: nonEmptyLines(values.staticAddresses),
});

const nonEmptyLines = (texts: readonly string[]) =>
  texts.map((text) => text.trim()).filter((text) => text !== "");

export function toUpdate(values: HostValues) {
  const { name, roleID, tags, staticAddresses, listenPort, configOverrides, description, owner } = values;
  return {
    name,
    roleID,
    tags,
    staticAddresses,
    listenPort: listenPort.trim() === "" ? 0 : Number(listenPort),
    configOverrides,
    description,
    owner,
  };
}

interface RequestedAddress {
  field: "ipv4Address" | "ipv6Address";
  text: string;
}

/** The addresses and ranges to send, IPv4 first. An address of a family without a range is rejected by the server. */
function requestedAddresses(values: HostValues, cidrs: readonly string[]): RequestedAddress[] {
  const families = new Set(cidrs.map(addressFamilyOf));
  const ipv4Range = optionalIpv4Range(cidrs);
  const hasIpv4 = families.has("IPv4") && (values.assignIpv4 || ipv4Range === undefined);
  const ipv4Address = values.ipv4Address.trim() || ipv4Range || "";
  const requested: RequestedAddress[] = [
    { field: "ipv4Address", text: hasIpv4 ? ipv4Address : "" },
    { field: "ipv6Address", text: families.has("IPv6") ? values.ipv6Address.trim() : "" },
  ];
  return requested.filter(({ text }) => text !== "");
}

/** The CIDRs are those of the chosen network. */
export function toCreate(values: HostValues, kind: HostKind, cidrs: readonly string[]): HostV2CreateInput {
  const ipAddresses = requestedAddresses(values, cidrs).map(({ text }) => text);
  return {
    ...toUpdate(values),
    ...kindDetails[kind].flags,
    networkID: values.networkID ?? "",
    ...(ipAddresses.length > 0 && { ipAddresses }),
  };
}

/** The server doesn't say which range has no free address. An IPv4 range is smaller, and comes first. */
export function locateFullRange<E>(error: E, values: HostValues, cidrs: readonly string[]): E {
  const index = requestedAddresses(values, cidrs).findIndex(({ text }) => text.includes("/"));
  const entry = findEntry(error, "ERR_NETWORK_FULLY_ALLOCATED");
  if (entry && index >= 0) entry.path = `ipAddresses[${index}]`;
  return error;
}

/** Maps API paths to form fields: the address of each family has a field of its own. */
export function mapAddressErrors<E>(error: E, values: HostValues, cidrs: readonly string[]): E {
  if (!(error instanceof ValidationError)) return error;
  const requested = requestedAddresses(values, cidrs);
  const firstField = addressFamilyOf(cidrs[0] ?? "") === "IPv4" ? "ipv4Address" : "ipv6Address";
  for (const entry of error.fieldErrors) {
    const index = /^ipAddresses\[(\d)\]$/.exec(entry.path ?? "")?.[1];
    if (index !== undefined) entry.path = requested[Number(index)]?.field ?? firstField;
  }
  return error;
}
