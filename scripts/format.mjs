/** Formats generated text like the project's files. */
import { readFile } from "node:fs/promises";
import { format } from "oxfmt";

/** The path determines the language. */
export async function formatText(path, text) {
  const options = JSON.parse(await readFile(new URL("../.oxfmtrc.json", import.meta.url), "utf8"));
  const { code, errors } = await format(path, text, options);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join(", ")}`);
  return code;
}
