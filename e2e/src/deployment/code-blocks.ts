/** The code blocks of a page of the documentation, in their order. */
import { readText } from "./deploy-files.ts";

export interface CodeBlock {
  /** The heading above the block. */
  section: string;
  language: string;
  /** With the line break at the end. */
  text: string;
  /** The paragraph above the block; empty if another block is above. */
  introduction: string;
}

export function readCodeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let section = "";
  let introduction = "";
  const parts = readText(page).matchAll(/^#+ (.+)$|^```(\w+)\n([^]*?)^```$|^(.+)$/gm);
  for (const [, heading, language, text = "", line = ""] of parts) {
    if (heading !== undefined) section = heading;
    if (language !== undefined) blocks.push({ section, language, text, introduction });
    introduction = line;
  }
  return blocks;
}

/** The last path that the introduction of a block names. */
export const fileNamedBy = ({ introduction }: CodeBlock) =>
  [...introduction.matchAll(/`(\/[\w./-]+)`/g)].at(-1)?.[1];
