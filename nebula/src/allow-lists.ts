import { ipPrefixContains, isIpv4, parseIp, parseIpPrefix } from "./ip-prefixes.ts";
import { splitHostAndPort } from "./override-formats.ts";
import type { YamlValue } from "./yaml-writer.ts";

/** Whether a lighthouse is left with an address under this list. A name may resolve to anything: it does not count. */
export function leavesLighthouse(allowList: YamlValue, staticAddresses: readonly string[]): boolean {
  return staticAddresses.some((staticAddress) => {
    const address = parseIp(splitHostAndPort(staticAddress)?.host ?? "");
    return address !== undefined && allows(allowList, address);
  });
}

/** The narrowest network decides; without one, the opposite of what the list says of others of that family. */
function allows(allowList: YamlValue, address: Uint8Array): boolean {
  const rules = Object.entries(allowList).flatMap(([text, allow]) => {
    const prefix = parseIpPrefix(text);
    return prefix !== undefined && isIpv4(prefix.address) === isIpv4(address) ? [{ prefix, allow }] : [];
  });
  const whole = { address, prefixLength: address.length * 8 };
  const [narrowest] = rules
    .filter(({ prefix }) => ipPrefixContains(prefix, whole))
    .toSorted((a, b) => b.prefix.prefixLength - a.prefix.prefixLength);
  return narrowest === undefined ? rules[0]?.allow !== true : narrowest.allow === true;
}
