interface Section {
  title: string;
  depth: number;
  slug: string;
  text: string;
}
interface DocsPage {
  name: string;
  /** The source; pages of the API reference have none. */
  file?: string;
  title: string;
  address: string;
  sections: Section[];
  /** As written in the source. */
  links: string[];
  html: string;
}
export function buildDocs(directory?: string): Promise<DocsPage[]>;
export type DocsPages = Awaited<ReturnType<typeof buildDocs>>;
