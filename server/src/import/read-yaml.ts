/** A map of lists, one for each kind of thing. */
import { CST, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";
import { type Kind, type RawThing, unreadable } from "./document.ts";

const lists: Record<string, Kind> = { roles: "role", tags: "tag", hosts: "host" };

const DEPTH_MAX = 32;

/** What no list of hosts needs, and what a short text could cost hours with. */
const refused: Partial<Record<CST.TokenType, string>> = {
  anchor: "must not name parts to repeat them (&)",
  alias: "must not repeat parts by name (*)",
  tag: "must not say of what type a value is (!)",
  "explicit-key-ind": "must not have keys of more than a word (?)",
  "directive-line": "must not have directives (%)",
};

/** Looks the words over before they are read: reading takes much longer. */
function refuseCostly(content: string): void {
  let line = 1;
  let depth = 0;
  let documents = 0;
  let isText = false;
  for (const word of new Lexer().lex(content)) {
    const type: CST.TokenType | null = isText ? null : CST.tokenType(word);
    isText = type === "scalar" && word.length === 1;
    const complaint = type === null ? undefined : refused[type];
    if (complaint !== undefined) throw unreadable(`line ${line}: ${complaint}`);
    if (type === "flow-seq-start" || type === "flow-map-start") depth++;
    if (type === "flow-seq-end" || type === "flow-map-end") depth--;
    if (type === "doc-start") documents++;
    if (depth < 0) throw unreadable(`line ${line}: closes what is not open`);
    if (depth > DEPTH_MAX) throw unreadable(`line ${line}: nested too deeply`);
    if (documents > 1) throw unreadable(`line ${line}: must be one document`);
    line += word.match(/\n/g)?.length ?? 0;
  }
}

function readDocument(content: string): unknown {
  refuseCostly(content);
  const lines = new LineCounter();
  // Whether a key is there twice is asked below: the library compares each with all others.
  const document = parseDocument(content, { uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  const at = (offset: number) => `line ${lines.linePos(offset).line}`;
  const [error] = document.errors;
  if (error) throw unreadable(`${at(error.pos[0])}: ${error.message}`);
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : String(key);
        if (seen.has(name)) {
          const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
          throw unreadable(`${at(offset)}: the key ${JSON.stringify(name)} is there twice`);
        }
        seen.add(name);
      }
    },
  });
  return document.toJS({ maxAliasCount: 0 });
}

export function readYaml(content: string): RawThing[] {
  const document = readDocument(content);
  const known = Object.keys(lists).join(", ");
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw unreadable(`must be a map of ${known}`);
  return Object.entries(document as Record<string, unknown>).flatMap(([name, list]) => {
    const kind = Object.hasOwn(lists, name) ? lists[name] : undefined;
    if (!kind) throw unreadable(`unknown key ${JSON.stringify(name)}; there are ${known}`);
    if (list === null) return [];
    if (!Array.isArray(list)) throw unreadable(`${name} must be a list`);
    return list.map((value: unknown, index) => ({ place: `${name}[${index}]`, kind, value }));
  });
}
