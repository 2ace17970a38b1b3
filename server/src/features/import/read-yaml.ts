/** A map of lists, one for each kind of item. */
import { Composer, CST, isScalar, Lexer, LineCounter, Parser, visit } from "yaml";
import { type Kind, MAX, type RawThing, THINGS_MAX, tooMany, unreadable } from "./document.ts";

const lists: Record<string, Kind> = { roles: "role", tags: "tag", hosts: "host" };

/** The parser's stack: the document, its map, a list, and then what an item contains. */
const DEPTH_MAX = 32;
/** 40 for each of 5,000 hosts. */
const VALUES_MAX = 200_000;

/** No limit is smaller: shorter lists need no check of what they contain. */
const SHORT_LIST = Math.min(...Object.values(MAX));

/** Syntax that no list of hosts needs and that lets a short file describe a very large document. */
const refused: Partial<Record<CST.TokenType, string>> = {
  anchor: "must not name parts to repeat them (&)",
  alias: "must not repeat parts by name (*)",
  tag: "must not say of what type a value is (!)",
  "explicit-key-ind": "must not have keys of more than a word (?)",
  "directive-line": "must not have directives (%)",
};

const valueTypes: ReadonlySet<CST.TokenType | null> = new Set([
  "scalar",
  "single-quoted-scalar",
  "double-quoted-scalar",
  "block-scalar-header",
  "flow-seq-start",
  "flow-map-start",
  "seq-item-ind",
  "map-value-ind",
]);

/** Checks each lexeme before the parser reads it, and stops at the first that is not allowed. */
function createLexemeCheck() {
  let line = 1;
  let flowDepth = 0;
  let documents = 0;
  let values = 0;
  let isText = false;
  return (lexeme: string): void => {
    const type: CST.TokenType | null = isText ? null : CST.tokenType(lexeme);
    isText = type === "scalar" && lexeme.length === 1;
    const complaint = type === null ? undefined : refused[type];
    if (complaint !== undefined) throw unreadable(`line ${line}: ${complaint}`);
    if (type === "flow-seq-start" || type === "flow-map-start") flowDepth++;
    if (type === "flow-seq-end" || type === "flow-map-end") flowDepth--;
    if (type === "doc-start") documents++;
    if (valueTypes.has(type)) values++;
    if (flowDepth < 0) throw unreadable(`line ${line}: closes what is not open`);
    if (flowDepth > DEPTH_MAX) throw unreadable(`line ${line}: nested too deeply`);
    if (documents > 1) throw unreadable(`line ${line}: must be one document`);
    if (values > VALUES_MAX) throw tooMany(VALUES_MAX, "values");
    line += lexeme.match(/\n/g)?.length ?? 0;
  };
}

/** Checks what the parser has open at the moment: how deep, and how many items the list has so far. */
function checkOpenCollections(stack: CST.Token[], line: () => number): void {
  if (stack.length > DEPTH_MAX) throw unreadable(`line ${line()}: nested too deeply`);
  const [, map, list] = stack.length > 2 ? stack : [];
  if (list === undefined || !("items" in list) || list.items.length <= SHORT_LIST) return;
  const pair = map && "items" in map ? map.items.at(-1) : undefined;
  const name = pair?.key && "source" in pair.key ? pair.key.source : "";
  const kind = Object.hasOwn(lists, name) ? lists[name] : undefined;
  const max = kind === undefined ? THINGS_MAX : MAX[kind];
  // A comma after the last item opens one more.
  if (list.items.length > max + 1) throw tooMany(max, kind ? `${kind}s` : "things");
}

/** The concrete syntax, read only as far as all limits are kept. */
function parseTokens(content: string, lines: LineCounter): CST.Token[] {
  const checkLexeme = createLexemeCheck();
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  const line = () => lines.linePos(parser.offset).line;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(content)) {
    checkLexeme(lexeme);
    for (const token of parser.next(lexeme)) tokens.push(token);
    checkOpenCollections(parser.stack, line);
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function readDocument(content: string): unknown {
  const lines = new LineCounter();
  const tokens = parseTokens(content, lines);
  // Duplicate keys are looked for below: the library compares each key with all others.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, content.length);
  if (!document) throw new Error("The composer returned no document");
  const at = (offset: number) => `line ${lines.linePos(offset).line}`;
  const [error] = document.errors;
  if (error) throw unreadable(`${at(error.pos[0])}: ${error.message}`);
  if (second) throw unreadable(`${at(second.range[0])}: must be one document`);
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
