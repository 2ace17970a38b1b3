import type { planImport, BodyOf } from "@lightkeeper/contract";
import type { RawItem } from "./document.ts";
import { readCsv } from "./read-csv.ts";
import { readYaml } from "./read-yaml.ts";
import { type ParsedItems, parseItems } from "./items.ts";

export type ImportFile = BodyOf<typeof planImport>;

const readers: Record<ImportFile["format"], (content: string) => RawItem[]> = {
  csv: readCsv,
  yaml: readYaml,
};

export const readItems = ({ format, content }: ImportFile): ParsedItems =>
  parseItems(readers[format](content));
