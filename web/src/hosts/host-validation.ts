import { HostV2Create } from "@lightkeeper/contract";
import { PORT_MAX } from "@lightkeeper/contract/limits";
import { longNameMessage } from "../forms/length-messages.ts";
import type { Rule } from "../lib/messages.ts";
import { formatNumber } from "../lib/format.ts";
import type { HostKind } from "../references/host-link.tsx";

export const validateName = (name: string) =>
  HostV2Create.shape.name.safeParse(name).success || longNameMessage;

/** If the server can't be reached, it validates the addresses itself later. */
const loadAddressValidation = () => import("./address-validation.ts").catch(() => undefined);

/** The CIDRs are those of the chosen network. */
export async function validateAddress(text: string, cidrs: readonly string[] | undefined) {
  if (text.trim() === "") return true;
  return (await loadAddressValidation())?.validateHostAddress(text.trim(), cidrs) ?? true;
}

export function validatePort(text: string, kind: HostKind) {
  const port = Number(text);
  if (text.trim() === "")
    return kind === "host" || `Enter a fixed port, so that hosts can find this ${kind}.`;
  return (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) || `Enter a port from 1 to ${PORT_MAX}.`;
}

/** Ignores empty lines, which aren't saved. */
export async function validateStaticAddresses(addresses: readonly string[], kind: HostKind) {
  const filled = addresses.map((address) => address.trim()).filter((address) => address !== "");
  if (kind === "lighthouse" && filled.length === 0)
    return "Enter at least one address that every host can reach, such as 203.0.113.7:4242.";
  if (filled.length === 0) return true;
  return (await loadAddressValidation())?.validateStaticAddressTexts(filled) ?? true;
}

const addressRules = (path: string): Rule[] => [
  {
    path,
    codes: ["ERR_DUPLICATE_VALUE"],
    message: "Another host has this address. Leave the field empty to use the next free one.",
  },
  {
    path,
    codes: ["ERR_NETWORK_FULLY_ALLOCATED"],
    message: "All addresses in this range are in use. Enter another range, or an address.",
  },
  {
    path,
    codes: ["ERR_INVALID_VALUE"],
    message: ({ message }) => `Can’t use this address: ${message}.`,
  },
];

/** Messages for errors of the server. */
export const hostErrorMessages: readonly Rule[] = [
  {
    path: "name",
    codes: ["ERR_DUPLICATE_VALUE"],
    message: "Another host in this network has this name. Enter a different name.",
  },
  ...addressRules("ipAddresses[0]"),
  ...addressRules("ipAddresses[1]"),
  {
    path: "networkID",
    codes: ["ERR_INVALID_REFERENCE"],
    message: "This network no longer exists. Choose another.",
  },
  {
    path: "roleID",
    codes: ["ERR_INVALID_REFERENCE"],
    message: "This role no longer exists. Choose another.",
  },
  {
    codes: ["ERR_NETWORK_FULLY_ALLOCATED"],
    message: "All addresses in this network are in use. Choose another network, or delete hosts in this one.",
  },
  {
    codes: ["ERR_LIMIT_EXCEEDED"],
    message: ({ extra }) =>
      extra?.limit === undefined
        ? "You’ve reached the host limit of your plan."
        : `Your plan is limited to ${formatNumber(extra.limit)} hosts, and you’ve reached the limit.`,
  },
];
