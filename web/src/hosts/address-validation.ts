/** Loaded when the first address is entered, because most hosts get theirs automatically. */
import { isStaticAddress } from "@lightkeeper/nebula";
import { addressProblem } from "../on-demand/host-addresses.ts";

export const validateHostAddress = (text: string, cidrs: readonly string[] | undefined) =>
  addressProblem(text, cidrs) ?? true;

export function validateStaticAddressTexts(addresses: readonly string[]) {
  const invalid = addresses.find((address) => !isStaticAddress(address));
  return (
    invalid === undefined ||
    `${invalid} isn’t valid. Enter an IP address or DNS name with a port, such as 203.0.113.7:4242 or [2001:db8::7]:4242.`
  );
}
