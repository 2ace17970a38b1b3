import { formatIp, parseIp } from "@lightkeeper/nebula";
import { addressesOf, type HostAddresses } from "./host-addresses.ts";

interface SearchedHost extends HostAddresses {
  name: string;
  tags: readonly string[];
}

/** The trigram index treats these as gaps between words; letters instead keep the text together. */
const JOINERS: Record<string, string> = { ".": "D", "-": "H", ":": "C", _: "U" };

/** Lowercases stored and searched text alike; capitals replace the separators of names, addresses and tags. */
export const searchable = (text: string): string =>
  text.toLowerCase().replace(/[.:_-]/g, (sign) => JOINERS[sign] ?? sign);

/** The searched text of a host without its role. One line each, so that no match spans two. */
export const searchTextOf = ({ name, tags, ...addresses }: SearchedHost): string =>
  searchable([name, ...addressesOf(addresses), ...tags].join("\n"));

const IPV6_PART = /^[0-9a-f:]*:[0-9a-f:]*$/i;
const LEADING_ZEROS = /(?<![0-9a-f])0+(?=[0-9a-f])/gi;

/** The canonical form of a whole IPv6 address; without leading zeros for a part of one. Other text stays as it is. */
export function canonicalSearch(text: string): string {
  if (!IPV6_PART.test(text)) return text;
  const address = parseIp(text);
  return address ? formatIp(address) : text.replace(LEADING_ZEROS, "");
}
