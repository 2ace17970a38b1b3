/** Things as the contract's own schemas understand them, with other things called by name. */
import { HostCreate, RoleCreate, type Schema, TagCreate } from "@lightkeeper/contract";
import * as z from "zod/mini";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { parse } from "../../infrastructure/http/parse.ts";
import {
  type Problem,
  isKind,
  type Kind,
  limitExceeded,
  MAX,
  type RawThing,
  THINGS_MAX,
  tooMany,
} from "./document.ts";

const NETWORK_LENGTH_MAX = 255;

const HostThing = z.extend(z.omit(HostCreate, { networkID: true, roleID: true }), {
  /** By name or id, and so is the role. */
  network: z.string().check(z.trim(), z.minLength(1), z.maxLength(NETWORK_LENGTH_MAX)),
  role: HostCreate.shape.roleID,
});
/** In rules, `allowedRoleID` holds what was written: a name or an id. */
const RoleThing = RoleCreate;
const TagThing = z.pick(TagCreate, {
  name: true,
  description: true,
  configOverrides: true,
  firewallRules: true,
});

interface Values {
  host: z.output<typeof HostThing>;
  role: z.output<typeof RoleThing>;
  tag: z.output<typeof TagThing>;
}

export interface Thing<K extends Kind = Kind> {
  place: string;
  /** Among all that was sent. */
  position: number;
  value: Values[K];
  /** The properties that count; what was left out stays as it is. */
  written: string[];
  /** The rules that name their role by `allowedRole`: errors use the same word. */
  rulesWithRoleName: number[];
}

export interface Refused {
  place: string;
  position: number;
  faults: Problem[];
}

export interface Things {
  role: Thing<"role">[];
  tag: Thing<"tag">[];
  host: Thing<"host">[];
  refused: Refused[];
}

const schemas: Record<Kind, Schema> = { host: HostThing, role: RoleThing, tag: TagThing };

type Keyed = Record<string, unknown>;
const isKeyed = (value: unknown): value is Keyed =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const namesRole = (rule: unknown): rule is Keyed =>
  isKeyed(rule) && "allowedRole" in rule && !("allowedRoleID" in rule);

/** The same with `allowedRole` under the name that the contract has for it. */
function withRoleIDs(value: unknown): unknown {
  if (!isKeyed(value) || !Array.isArray(value.firewallRules)) return value;
  const firewallRules = value.firewallRules.map((rule: unknown) => {
    if (!namesRole(rule)) return rule;
    const { allowedRole, ...rest } = rule;
    return { ...rest, allowedRoleID: allowedRole };
  });
  return { ...value, firewallRules };
}

const rulesWithRoleNameIn = (value: unknown): number[] =>
  isKeyed(value) && Array.isArray(value.firewallRules)
    ? value.firewallRules.flatMap((rule: unknown, index) => (namesRole(rule) ? [index] : []))
    : [];

/** What the sender calls the property that has this path here. */
export const asWrittenIn =
  ({ rulesWithRoleName }: Pick<Thing, "rulesWithRoleName">) =>
  (path: string) =>
    path.replace(/^(firewallRules\[(\d+)\])\.allowedRoleID/, (whole, rule: string, index: string) =>
      rulesWithRoleName.includes(Number(index)) ? `${rule}.allowedRole` : whole,
    );

/** A key can be written with what the database cannot keep; its place must do. */
const UNKEEPABLE = /\0|\p{Surrogate}/u;

/** What a check throws, as faults of the thing it was about. */
export function faultsOf(check: () => void, asWritten: (path: string) => string): Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.errors.map(({ code, message, path }) => ({
      code,
      message,
      ...(path && !UNKEEPABLE.test(path) && { path: asWritten(path) }),
    }));
  }
}

/** Enough to see what is wrong with an item; the plan stays about as large as the file. */
const FAULTS_MAX = 10;

function understand<K extends Kind>(kind: K, raw: RawThing, position: number): Thing<K> | Refused {
  const { place } = raw;
  const rulesWithRoleName = rulesWithRoleNameIn(raw.value);
  const asWritten = asWrittenIn({ rulesWithRoleName });
  const value = withRoleIDs(raw.value);
  let understood: unknown;
  const faults = faultsOf(() => (understood = parse(schemas[kind], value)), asWritten);
  if (faults.length > 0) return { place, position, faults: faults.slice(0, FAULTS_MAX) };
  const written = Object.entries(value as Keyed).filter(
    ([key, content]) => content !== undefined && !(key === "firewallRules" && content === null),
  );
  return {
    place,
    position,
    value: understood as Values[K],
    written: written.map(([key]) => key),
    rulesWithRoleName,
  };
}

const unknownKind: Problem = {
  code: "ERR_INVALID_VALUE",
  message: "must be host, role or tag",
  path: "type",
};

const TAGS_NAMED_MAX = 1000;

export function understandAll(raw: readonly RawThing[]): Things {
  if (raw.length > THINGS_MAX) throw tooMany(THINGS_MAX, "things");
  for (const [kind, max] of Object.entries(MAX))
    if (raw.filter((thing) => thing.kind === kind).length > max) throw tooMany(max, `${kind}s`);
  const things: Things = { role: [], tag: [], host: [], refused: [] };
  const put = <K extends Kind>(kind: K, thing: Thing<K> | Refused) => {
    if ("faults" in thing) things.refused.push(thing);
    else (things[kind] as Thing<K>[]).push(thing);
  };
  for (const [position, one] of raw.entries()) {
    if (isKind(one.kind)) put(one.kind, understand(one.kind, one, position));
    else things.refused.push({ place: one.place, position, faults: [unknownKind] });
  }
  if (tagsNamedIn(things).length > TAGS_NAMED_MAX)
    throw limitExceeded(TAGS_NAMED_MAX, `must not name more than ${TAGS_NAMED_MAX} tags: split the file`);
  return things;
}

/** Every tag that is made, given to a host or named in a rule, once; those that are made come first. */
export function tagsNamedIn({ role, tag, host }: Pick<Things, "role" | "tag" | "host">): string[] {
  const rules = [...role, ...tag].flatMap(({ value }) => value.firewallRules ?? []);
  return [
    ...new Set([
      ...tag.map(({ value }) => value.name),
      ...host.flatMap(({ value }) => value.tags),
      ...rules.flatMap(({ allowedTags = [] }) => allowedTags),
    ]),
  ];
}

export const rolesNamedIn = ({ role, tag, host }: Things) => [
  ...role.map(({ value }) => value.name),
  ...[...role, ...tag].flatMap(({ value }) =>
    (value.firewallRules ?? []).flatMap(({ allowedRoleID }) => allowedRoleID ?? []),
  ),
  ...host.flatMap(({ value }) => value.role ?? []),
];
