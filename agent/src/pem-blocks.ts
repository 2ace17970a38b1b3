/** Splits a text that consists of consecutive PEM blocks; undefined if it has none, or something else between them. */
export function splitPemBlocks(text: string): string[] | undefined {
  const blocks = text.match(/-----BEGIN [A-Z0-9 ]+-----\n[\s\S]*?-----END [A-Z0-9 ]+-----\n/g);
  return blocks?.join("") === text ? blocks : undefined;
}
