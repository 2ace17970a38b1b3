import type { ConfigOverrides, HostV2, HostV2CreateInput } from "@lightkeeper/contract";
import { kindWords } from "./host-kind.ts";
import type { HostKind } from "../references/host-link.tsx";

/** What the form holds. Network, addresses and kind are chosen once, when the host is made. */
export interface HostValues {
  name: string;
  networkID: string | null;
  roleID: string | null;
  tags: string[];
  /** One to ask for, or none to get the lowest that is free. */
  ipAddresses: [string];
  staticAddresses: string[];
  /** As typed; nothing means any. */
  listenPort: string;
  configOverrides: ConfigOverrides;
}

/** Nebula's own, and what a firewall in front is most likely open for. */
const DEFAULT_PORT = "4242";

export const emptyHost = (kind: HostKind, networkID: string | null): HostValues => ({
  name: "",
  networkID,
  roleID: null,
  tags: [],
  ipAddresses: [""],
  staticAddresses: [],
  listenPort: kind === "host" ? "" : DEFAULT_PORT,
  configOverrides: [],
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
});

/** Without the lines that were left empty: what the server says of a place is then said of the same place here. */
export const tidied = (values: HostValues): HostValues => ({
  ...values,
  staticAddresses: filled(values.staticAddresses),
});

const filled = (texts: readonly string[]) => texts.map((text) => text.trim()).filter((text) => text !== "");

export function toUpdate({ name, roleID, tags, staticAddresses, listenPort, configOverrides }: HostValues) {
  return {
    name,
    roleID,
    tags,
    staticAddresses,
    listenPort: listenPort.trim() === "" ? 0 : Number(listenPort),
    configOverrides,
  };
}

export function toCreate(values: HostValues, kind: HostKind): HostV2CreateInput {
  const ipAddresses = filled(values.ipAddresses);
  return {
    ...toUpdate(values),
    ...kindWords[kind].flags,
    networkID: values.networkID ?? "",
    ...(ipAddresses.length > 0 && { ipAddresses }),
  };
}
