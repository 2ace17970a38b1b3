interface Found {
  /** Its address. */
  id: string;
  title: string;
  page: string;
  excerpt: string;
}
export function openIndex(json: string): { search: (words: string) => Found[] };
