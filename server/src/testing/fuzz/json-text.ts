/** JSON as text, which may have duplicate keys and numbers out of range. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Keys are ignored in arrays. */
export interface Tree {
  kind: "object" | "array";
  entries: [key: string, value: Node][];
}
export type Node = Tree | { kind: "text"; text: string };

export const textNode = (text: string): Node => ({ kind: "text", text });

export function toNode(value: Json): Node {
  if (typeof value !== "object" || value === null) return textNode(JSON.stringify(value));
  return {
    kind: Array.isArray(value) ? "array" : "object",
    entries: Object.entries(value).map(([key, item]) => [key, toNode(item)]),
  };
}

export function write(node: Node): string {
  if (node.kind === "text") return node.text;
  if (node.kind === "array") return `[${node.entries.map(([, value]) => write(value)).join()}]`;
  return `{${node.entries.map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`).join()}}`;
}
