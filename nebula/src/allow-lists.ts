import { ipPrefixContains, isIpv4, parseIp, parseIpPrefix } from "./ip-prefixes.ts";
import { splitHostAndPort } from "./override-formats.ts";
import type { YamlValue } from "./yaml-writer.ts";

/** Whether the list allows an address of the lighthouse. DNS names don't count: they can resolve to any address. */
export function allowsLighthouse(allowList: YamlValue, staticAddresses: readonly string[]): boolean {
  return staticAddresses.some((staticAddress) => {
    const address = parseIp(splitHostAndPort(staticAddress)?.host ?? "");
    return address !== undefined && allows(allowList, address);
  });
}

/** The most specific network decides. Without a match, the default is the opposite of the family's first rule. */
function allows(allowList: YamlValue, address: Uint8Array): boolean {
  const rules = Object.entries(allowList).flatMap(([text, allow]) => {
    const prefix = parseIpPrefix(text);
    return prefix !== undefined && isIpv4(prefix.address) === isIpv4(address) ? [{ prefix, allow }] : [];
  });
  const single = { address, prefixLength: address.length * 8 };
  const [mostSpecific] = rules
    .filter(({ prefix }) => ipPrefixContains(prefix, single))
    .toSorted((a, b) => b.prefix.prefixLength - a.prefix.prefixLength);
  return mostSpecific === undefined ? rules[0]?.allow !== true : mostSpecific.allow === true;
}
