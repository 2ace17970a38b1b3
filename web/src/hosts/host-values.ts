import type { ConfigOverrides, HostV2, HostV2CreateInput } from "@lightkeeper/contract";
import { kindDetails } from "../references/host-kind.ts";
import type { HostKind } from "../references/host-link.tsx";

/** The values of the form. Network, addresses and kind can only be chosen when the host is created. */
export interface HostValues {
  name: string;
  networkID: string | null;
  roleID: string | null;
  tags: string[];
  /** An empty text requests the next free address. */
  ipAddresses: [string];
  staticAddresses: string[];
  /** As typed; empty means a random port. */
  listenPort: string;
  configOverrides: ConfigOverrides;
  description: string;
  owner: string;
}

/** The default port of Nebula. */
const DEFAULT_PORT = "4242";

export const emptyHost = (
  kind: HostKind,
  networkID: string | null,
  roleID: string | null = null,
): HostValues => ({
  name: "",
  networkID,
  roleID,
  tags: [],
  ipAddresses: [""],
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
  ipAddresses: [host.ipAddresses[0] ?? ""],
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
  const { networkID: _network, ipAddresses: _addresses, listenPort, ...changeable } = values;
  return { ...changeable, listenPort: listenPort.trim() === "" ? 0 : Number(listenPort) };
}

export function toCreate(values: HostValues, kind: HostKind): HostV2CreateInput {
  const ipAddresses = nonEmptyLines(values.ipAddresses);
  return {
    ...toUpdate(values),
    ...kindDetails[kind].flags,
    networkID: values.networkID ?? "",
    ...(ipAddresses.length > 0 && { ipAddresses }),
  };
}
