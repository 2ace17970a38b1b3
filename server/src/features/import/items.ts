/** Parses items with the contract's schemas; they reference other items by name. */
import { HostCreate, HostV2Create, RoleCreate, type Schema, TagCreate } from "@lightkeeper/contract";
import { LONG_NAME_LENGTH_MAX } from "@lightkeeper/contract/limits";
import * as z from "zod/mini";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { parse } from "../../infrastructure/http/parse.ts";
import {
  type Problem,
  isKind,
  type Kind,
  limitExceededError,
  ITEMS_MAX_BY_KIND,
  type RawItem,
  ITEMS_MAX,
  tooManyError,
} from "./document.ts";

const HostItem = z.extend(z.omit(HostCreate, { networkID: true, roleID: true }), {
  /** A name or an ID, like the role. */
  network: z.string().check(z.trim(), z.minLength(1), z.maxLength(LONG_NAME_LENGTH_MAX)),
  role: HostCreate.shape.roleID,
  ipAddresses: HostV2Create.shape.ipAddresses,
});
/** In rules, `allowedRoleID` contains a name or an ID. */
const RoleItem = RoleCreate;
const TagItem = z.pick(TagCreate, {
  name: true,
  description: true,
  configOverrides: true,
  firewallRules: true,
});

interface Values {
  host: z.output<typeof HostItem>;
  role: z.output<typeof RoleItem>;
  tag: z.output<typeof TagItem>;
}

export interface Item<K extends Kind = Kind> {
  place: string;
  /** Index among all items of the file. */
  position: number;
  value: Values[K];
  /** Properties in the file; others keep their current value. */
  presentKeys: string[];
  /** Indexes of rules with `allowedRole` instead of `allowedRoleID`, for the paths of problems. */
  rulesWithRoleName: number[];
}

export interface RejectedItem {
  place: string;
  position: number;
  problems: Problem[];
}

export interface ParsedItems {
  role: Item<"role">[];
  tag: Item<"tag">[];
  host: Item<"host">[];
  rejected: RejectedItem[];
}

const schemas: Record<Kind, Schema> = { host: HostItem, role: RoleItem, tag: TagItem };

type JsonObject = Record<string, unknown>;
const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const hasRoleName = (rule: unknown): rule is JsonObject =>
  isJsonObject(rule) && "allowedRole" in rule && !("allowedRoleID" in rule);

/** Renames `allowedRole` to `allowedRoleID`, as in the contract. */
function withRoleIDs(value: unknown): unknown {
  if (!isJsonObject(value) || !Array.isArray(value.firewallRules)) return value;
  const firewallRules = value.firewallRules.map((rule: unknown) => {
    if (!hasRoleName(rule)) return rule;
    const { allowedRole, ...rest } = rule;
    return { ...rest, allowedRoleID: allowedRole };
  });
  return { ...value, firewallRules };
}

const rulesWithRoleNameIn = (value: unknown): number[] =>
  isJsonObject(value) && Array.isArray(value.firewallRules)
    ? value.firewallRules.flatMap((rule: unknown, index) => (hasRoleName(rule) ? [index] : []))
    : [];

/** Maps a path of the parsed item to the path in the file. */
export const sourcePathIn =
  ({ rulesWithRoleName }: Pick<Item, "rulesWithRoleName">) =>
  (path: string) =>
    path.replace(/^(firewallRules\[(\d+)\])\.allowedRoleID/, (whole, rule: string, index: string) =>
      rulesWithRoleName.includes(Number(index)) ? `${rule}.allowedRole` : whole,
    );

/** The database cannot store these characters; a path that contains them is omitted. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Returns what a check throws as problems of an item. */
export function collectProblems(check: () => void, toSourcePath: (path: string) => string): Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.errors.map(({ code, message, path }) => ({
      code,
      message,
      ...(path && !UNSTORABLE.test(path) && { path: toSourcePath(path) }),
    }));
  }
}

/** Limits the size of the plan to about the size of the file. */
const PROBLEMS_MAX = 10;

function parseItem<K extends Kind>(kind: K, raw: RawItem, position: number): Item<K> | RejectedItem {
  const { place } = raw;
  const rulesWithRoleName = rulesWithRoleNameIn(raw.value);
  const toSourcePath = sourcePathIn({ rulesWithRoleName });
  const value = withRoleIDs(raw.value);
  let parsed: unknown;
  const problems = collectProblems(() => (parsed = parse(schemas[kind], value)), toSourcePath);
  if (problems.length > 0) return { place, position, problems: problems.slice(0, PROBLEMS_MAX) };
  const presentKeys = Object.entries(value as JsonObject).filter(
    ([key, content]) => content !== undefined && !(key === "firewallRules" && content === null),
  );
  return {
    place,
    position,
    value: parsed as Values[K],
    presentKeys: presentKeys.map(([key]) => key),
    rulesWithRoleName,
  };
}

const unknownKind: Problem = {
  code: "ERR_INVALID_VALUE",
  message: "must be host, role or tag",
  path: "type",
};

const REFERENCED_TAGS_MAX = 1000;

export function parseItems(raw: readonly RawItem[]): ParsedItems {
  if (raw.length > ITEMS_MAX) throw tooManyError(ITEMS_MAX, "items");
  for (const [kind, max] of Object.entries(ITEMS_MAX_BY_KIND))
    if (raw.filter((item) => item.kind === kind).length > max) throw tooManyError(max, `${kind}s`);
  const items: ParsedItems = { role: [], tag: [], host: [], rejected: [] };
  const add = <K extends Kind>(kind: K, item: Item<K> | RejectedItem) => {
    if ("problems" in item) items.rejected.push(item);
    else (items[kind] as Item<K>[]).push(item);
  };
  for (const [position, item] of raw.entries()) {
    if (isKind(item.kind)) add(item.kind, parseItem(item.kind, item, position));
    else items.rejected.push({ place: item.place, position, problems: [unknownKind] });
  }
  if (referencedTags(items).length > REFERENCED_TAGS_MAX)
    throw limitExceededError(
      REFERENCED_TAGS_MAX,
      `must not use more than ${REFERENCED_TAGS_MAX} tags: split the file`,
    );
  return items;
}

/** Every tag that is defined, assigned to a host or used in a rule, without duplicates; defined tags come first. */
export function referencedTags({ role, tag, host }: Pick<ParsedItems, "role" | "tag" | "host">): string[] {
  const rules = [...role, ...tag].flatMap(({ value }) => value.firewallRules ?? []);
  return [
    ...new Set([
      ...tag.map(({ value }) => value.name),
      ...host.flatMap(({ value }) => value.tags),
      ...rules.flatMap(({ allowedTags = [] }) => allowedTags),
    ]),
  ];
}

export const referencedRoles = ({ role, tag, host }: ParsedItems) => [
  ...role.map(({ value }) => value.name),
  ...[...role, ...tag].flatMap(({ value }) =>
    (value.firewallRules ?? []).flatMap(({ allowedRoleID }) => allowedRoleID ?? []),
  ),
  ...host.flatMap(({ value }) => value.role ?? []),
];
