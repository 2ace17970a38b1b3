/** Small changes of a valid body. Positions count through the whole document, modulo their number. */
import fc from "fast-check";
import { type Node, textNode, type Tree } from "./json-text.ts";
import { anEdgeCaseKey, anEdgeCaseValue, type EdgeCaseValue, edgeCaseText } from "./edge-case-values.ts";
import { weighted } from "./weighted.ts";

type EntryMutation =
  | { do: "drop" | "wrap"; at: number }
  | { do: "rename"; at: number; key: string }
  | { do: "replace"; at: number; value: EdgeCaseValue };
export type Mutation =
  | EntryMutation
  | { do: "repeat"; at: number; times: number }
  | { do: "writeTwice"; at: number; value: EdgeCaseValue }
  | { do: "add"; at: number; key: string; value: EdgeCaseValue };

const at = fc.nat({ max: 60 });

const aMutation = weighted<Mutation>(
  [8, fc.record({ do: fc.constant("replace"), at, value: anEdgeCaseValue })],
  [2, fc.record({ do: fc.constant("drop"), at })],
  [1, fc.record({ do: fc.constant("wrap"), at })],
  [1, fc.record({ do: fc.constant("rename"), at, key: anEdgeCaseKey })],
  [1, fc.record({ do: fc.constant("repeat"), at, times: fc.constantFrom(2, 51, 201, 5000) })],
  [1, fc.record({ do: fc.constant("writeTwice"), at, value: anEdgeCaseValue })],
  [1, fc.record({ do: fc.constant("add"), at, key: anEdgeCaseKey, value: anEdgeCaseValue })],
);

/** Often none: accepted requests test the most code. */
export const someMutations = weighted<Mutation[]>(
  [4, fc.constant([])],
  [3, aMutation.map((mutation) => [mutation])],
  [2, fc.array(aMutation, { minLength: 2, maxLength: 3 })],
);

function treesOf(node: Node): Tree[] {
  return node.kind === "text" ? [] : [node, ...node.entries.flatMap(([, value]) => treesOf(value))];
}

const pick = <T>(list: T[], at: number): T | undefined => list[at % list.length];

function mutateEntry(trees: Tree[], mutation: EntryMutation): void {
  const places = trees.flatMap((tree) => tree.entries.map((entry) => ({ tree, entry })));
  const place = pick(places, mutation.at);
  if (!place) return;
  const { tree, entry } = place;
  if (mutation.do === "drop") tree.entries.splice(tree.entries.indexOf(entry), 1);
  else if (mutation.do === "rename") entry[0] = mutation.key;
  else if (mutation.do === "replace") entry[1] = textNode(edgeCaseText(mutation.value));
  else entry[1] = { kind: "array", entries: [["", entry[1]]] };
}

function mutate(root: Node, mutation: Mutation): void {
  const trees = treesOf(root);
  const objects = trees.filter(({ kind }) => kind === "object");
  const lists = trees.filter(({ kind, entries }) => kind === "array" && entries.length > 0);
  switch (mutation.do) {
    case "add":
      pick(objects, mutation.at)?.entries.push([mutation.key, textNode(edgeCaseText(mutation.value))]);
      break;
    case "writeTwice": {
      const object = pick(objects, mutation.at);
      const [key] = pick(object?.entries ?? [], mutation.at) ?? [];
      if (key !== undefined) object?.entries.push([key, textNode(edgeCaseText(mutation.value))]);
      break;
    }
    case "repeat": {
      const list = pick(lists, mutation.at);
      const [first] = list?.entries ?? [];
      if (list && first) list.entries = Array.from({ length: mutation.times }, () => first);
      break;
    }
    default:
      mutateEntry(trees, mutation);
  }
}

/** Changes the document in place. */
export function mutateAll(root: Node, mutations: Mutation[]): void {
  for (const mutation of mutations) mutate(root, mutation);
}
