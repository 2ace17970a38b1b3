interface Found {
  /** Its address. */
  id: string;
  title: string;
  page: string;
  excerpt: string;
}
interface Section extends Found {
  text: string;
}
/** `JSON.stringify` writes what `openIndex` reads. */
export function createIndex(): { add: (section: Section) => void };
export function openIndex(json: string): { search: (words: string) => Found[] };
