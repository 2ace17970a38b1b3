import type { planImport, BodyOf } from "@lightkeeper/contract";
import type { RawThing } from "./document.ts";
import { readCsv } from "./read-csv.ts";
import { readYaml } from "./read-yaml.ts";
import { type Things, understandAll } from "./things.ts";

export type ImportFile = BodyOf<typeof planImport>;

const readers: Record<ImportFile["format"], (content: string) => RawThing[]> = {
  csv: readCsv,
  yaml: readYaml,
};

export const readThings = ({ format, content }: ImportFile): Things =>
  understandAll(readers[format](content));
