interface SearchedHost {
  name: string;
  ip_address: string;
  tags: readonly string[];
}

/** The trigram index treats these as gaps between words; letters instead keep the text together. */
const JOINERS: Record<string, string> = { ".": "D", "-": "H", ":": "C", _: "U" };

/** Lowercases stored and searched text alike; capitals replace the separators of names, addresses and tags. */
export const searchable = (text: string): string =>
  text.toLowerCase().replace(/[.:_-]/g, (sign) => JOINERS[sign] ?? sign);

/** The searched text of a host without its role. One line each, so that no match spans two. */
export const searchTextOf = ({ name, ip_address, tags }: SearchedHost): string =>
  searchable([name, ip_address, ...tags].join("\n"));
