/** The documentation: its sources, and its pages built into a temporary folder. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DocsPages } from "../../../scripts/build-docs.d.mts";
import { buildDocs } from "../../../scripts/build-docs.mjs";

export const root = resolve(import.meta.dirname, "../../..");
export const read = (path: string) => readFileSync(join(root, path), "utf8");

export async function buildTestDocs(): Promise<{ directory: string; pages: DocsPages }> {
  const directory = mkdtempSync(join(tmpdir(), "lightkeeper-docs-"));
  return { directory, pages: await buildDocs(directory) };
}

export const unknownMentions = (
  mentions: { page: string; text: string }[],
  isKnown: (text: string) => boolean,
) => mentions.filter(({ text }) => !isKnown(text));
