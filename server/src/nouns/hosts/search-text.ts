interface Searched {
  name: string;
  ip_address: string;
  tags: readonly string[];
}

/** To the index these are gaps between words; letters in their place tie the words to one another. */
const TIES: Record<string, string> = { ".": "D", "-": "H", ":": "C", _: "U" };

/**
 * As it is looked through and looked for: in lower case, with capitals, which then mean nothing else, for the
 * signs that names, addresses and tags are put together with.
 */
export const searchable = (text: string): string =>
  text.toLowerCase().replace(/[.:_-]/g, (sign) => TIES[sign] ?? sign);

/** What a search looks through, apart from the role. A line each, so that nothing is found across two. */
export const searchTextOf = ({ name, ip_address, tags }: Searched): string =>
  searchable([name, ip_address, ...tags].join("\n"));
