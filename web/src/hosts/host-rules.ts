import { HostV2Create } from "@lightkeeper/contract";
import { isStaticAddress } from "@lightkeeper/nebula";
import type { Rule } from "../lib/messages.ts";
import { formatNumber } from "../lib/format.ts";
import type { HostKind } from "../references/host-link.tsx";

const PORT_MAX = 65_535;

export const checkName = (name: string) =>
  HostV2Create.shape.name.safeParse(name).success || "Give it a name of 1 to 255 characters.";

export function checkPort(text: string, kind: HostKind) {
  const port = Number(text);
  if (text.trim() === "")
    return kind === "host" || `A ${kind} needs a port that stays the same, so that others find it.`;
  return (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) || "A port is a number from 1 to 65535.";
}

/** Empty lines are left out when it is saved. */
export function checkStaticAddresses(addresses: readonly string[], kind: HostKind) {
  const given = addresses.map((address) => address.trim()).filter((address) => address !== "");
  if (kind === "lighthouse" && given.length === 0)
    return "A lighthouse needs an address at which every host can reach it.";
  const wrong = given.find((address) => !isStaticAddress(address));
  return wrong === undefined || `${wrong} is not an address or host name with a port, like 203.0.113.7:4242.`;
}

/** What the server refuses, in our words. */
export const hostRules: readonly Rule[] = [
  {
    path: "name",
    codes: ["ERR_DUPLICATE_VALUE"],
    message: "Another host of this network has this name, try another",
  },
  {
    path: "ipAddresses[0]",
    codes: ["ERR_DUPLICATE_VALUE"],
    message: "Another host has this address. Leave it empty to get a free one.",
  },
  {
    path: "ipAddresses[0]",
    codes: ["ERR_INVALID_VALUE"],
    message: ({ message }) => `The address is refused: ${message}.`,
  },
  { path: "networkID", codes: ["ERR_INVALID_REFERENCE"], message: "This network is gone. Choose another." },
  { path: "roleID", codes: ["ERR_INVALID_REFERENCE"], message: "This role is gone. Choose another." },
  {
    codes: ["ERR_NETWORK_FULLY_ALLOCATED"],
    message: "Every address of this network is in use. Choose another network, or delete hosts of this one.",
  },
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message: ({ extra }) =>
      extra?.limit === undefined
        ? "Your plan holds no more hosts."
        : `Your plan holds ${formatNumber(extra.limit)} hosts, and you have as many.`,
  },
];
