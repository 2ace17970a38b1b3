/** Reads a map of lists, one for each kind of item. */
import { Composer, CST, isScalar, Lexer, LineCounter, Parser, visit } from "yaml";
import {
  type Kind,
  ITEMS_MAX_BY_KIND,
  type RawItem,
  ITEMS_MAX,
  tooManyError,
  unreadableError,
} from "./document.ts";

const lists: Record<string, Kind> = { roles: "role", tags: "tag", hosts: "host" };

/** Depth of the parser's stack: the document, its map, a list, then the contents of an item. */
const DEPTH_MAX = 32;
/** 40 for each of 5,000 hosts. */
const VALUES_MAX = 200_000;

/** The smallest limit: shorter lists need no further check. */
const SHORT_LIST = Math.min(...Object.values(ITEMS_MAX_BY_KIND));

/** Syntax that no list of hosts needs and that lets a short file describe a very large document. */
const forbiddenSyntax: Partial<Record<CST.TokenType, string>> = {
  anchor: "anchors (&) aren’t allowed",
  alias: "aliases (*) aren’t allowed",
  tag: "type tags (!) aren’t allowed",
  "explicit-key-ind": "complex keys (?) aren’t allowed",
  "directive-line": "directives (%) aren’t allowed",
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
    const problem = type === null ? undefined : forbiddenSyntax[type];
    if (problem !== undefined) throw unreadableError(`line ${line}: ${problem}`);
    if (type === "flow-seq-start" || type === "flow-map-start") flowDepth++;
    if (type === "flow-seq-end" || type === "flow-map-end") flowDepth--;
    if (type === "doc-start") documents++;
    if (valueTypes.has(type)) values++;
    if (flowDepth < 0) throw unreadableError(`line ${line}: unexpected closing bracket`);
    if (flowDepth > DEPTH_MAX) throw unreadableError(`line ${line}: nested too deeply`);
    if (documents > 1) throw unreadableError(`line ${line}: only one document is allowed`);
    if (values > VALUES_MAX) throw tooManyError(VALUES_MAX, "values");
    line += lexeme.match(/\n/g)?.length ?? 0;
  };
}

/** Checks the depth of open collections and the length of the current list. */
function checkOpenCollections(stack: CST.Token[], line: () => number): void {
  if (stack.length > DEPTH_MAX) throw unreadableError(`line ${line()}: nested too deeply`);
  const [, map, list] = stack.length > 2 ? stack : [];
  if (list === undefined || !("items" in list) || list.items.length <= SHORT_LIST) return;
  const pair = map && "items" in map ? map.items.at(-1) : undefined;
  const name = pair?.key && "source" in pair.key ? pair.key.source : "";
  const kind = Object.hasOwn(lists, name) ? lists[name] : undefined;
  const max = kind === undefined ? ITEMS_MAX : ITEMS_MAX_BY_KIND[kind];
  // A trailing comma opens one more item.
  if (list.items.length > max + 1) throw tooManyError(max, kind ? `${kind}s` : "items");
}

/** Parses the concrete syntax and stops at the first exceeded limit. */
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
  // Duplicate keys are checked below: the library compares each key with all others.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, content.length);
  if (!document) throw new Error("The composer returned no document");
  const at = (offset: number) => `line ${lines.linePos(offset).line}`;
  const [error] = document.errors;
  if (error) throw unreadableError(`${at(error.pos[0])}: ${error.message}`);
  if (second) throw unreadableError(`${at(second.range[0])}: only one document is allowed`);
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : String(key);
        if (seen.has(name)) {
          const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
          throw unreadableError(`${at(offset)}: duplicate key ${JSON.stringify(name)}`);
        }
        seen.add(name);
      }
    },
  });
  return document.toJS({ maxAliasCount: 0 });
}

export function readYaml(content: string): RawItem[] {
  const document = readDocument(content);
  const known = Object.keys(lists).join(", ");
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw unreadableError(`must be a map of ${known}`);
  return Object.entries(document as Record<string, unknown>).flatMap(([name, list]) => {
    const kind = Object.hasOwn(lists, name) ? lists[name] : undefined;
    if (!kind) throw unreadableError(`unknown key ${JSON.stringify(name)}; valid keys: ${known}`);
    if (list === null) return [];
    if (!Array.isArray(list)) throw unreadableError(`${name} must be a list`);
    return list.map((value: unknown, index) => ({ place: `${name}[${index}]`, kind, value }));
  });
}
