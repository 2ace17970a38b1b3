/** Turns the numbers of a step into choices. Zero chooses the first option, so that shrinking leads to simple requests. */
import type { Caller } from "./call.ts";
import type { ModelRule, ModelRouteRule, Organization, Override, State } from "./state.ts";

export interface Choices {
  pick: <T>(options: readonly T[]) => T;
  /** Undefined if there are no options. */
  pickAny: <T>(options: readonly T[]) => T | undefined;
  /** Whether something happens that isn't the simplest. */
  sometimes: (percent: number) => boolean;
  /** Some of the options, in order. */
  some: <T>(options: readonly T[]) => T[];
  /** Only owners call, whose permissions don't change. */
  isByOwner: boolean;
}

export function createChoices(numbers: readonly number[], { isByOwner = false } = {}): Choices {
  let position = 0;
  const next = () => numbers[position++ % Math.max(1, numbers.length)] ?? 0;
  const pickAny = <T>(options: readonly T[]) => options[next() % Math.max(1, options.length)];
  return {
    isByOwner,
    pickAny,
    pick: <T>(options: readonly T[]) => {
      if (options.length === 0) throw new Error("There is nothing to choose from");
      return pickAny(options) as T;
    },
    sometimes: (percent) => next() % 100 >= 100 - percent,
    some: (options) => {
      const bits = next();
      return options.filter((_, index) => ((bits >> (2 * index)) & 3) === 3);
    },
  };
}

export const NAMES = ["alpha", "beta", "gamma", "Alpha", "delta", "epsilon", "zeta", "eta"];
export const TAGS = ["env:prod", "env:dev", "team:data", "site:a", "site:b"];
export const PORTS = [22, 443, 8005];
const PORT_RANGES = [null, { from: 22, to: 22 }, { from: 443, to: 443 }, { from: 8000, to: 8010 }];

export const chooseOrganization = ({ organizations }: State, choices: Choices): number =>
  choices.sometimes(20) ? organizations.length - 1 : 0;

const firstOwner = ({ members }: Organization): string =>
  members.find(({ role, kind }) => role === "owner" && kind === "user")?.id ?? "";

export const ownerOf = (state: State, organization: number): Caller => ({
  organization,
  id: firstOwner(state.organizations[organization]!),
});

/** Mostly an owner; sometimes anybody who has or had credentials. */
export function chooseCaller(state: State, choices: Choices): Caller {
  const organization = chooseOrganization(state, choices);
  if (choices.isByOwner || !choices.sometimes(35)) return ownerOf(state, organization);
  return { organization, id: choices.pick(state.organizations[organization]!.callers) };
}

/** Mostly an object of the caller's organization; sometimes one of another, or one that doesn't exist. */
export function chooseID(
  state: State,
  { organization }: Caller,
  choices: Choices,
  list: (organization: Organization) => readonly { id: string }[],
): string | undefined {
  const [own, ...others] = [
    state.organizations[organization]!,
    ...state.organizations.filter((_, index) => index !== organization),
  ].map((each) => list(each).map(({ id }) => id));
  if (choices.sometimes(6)) return choices.pickAny([...others.flat(), "role-AAAAAAAAAAAAAAAAAAAAAAAAAA"]);
  return choices.pickAny(own ?? []);
}

export function chooseRule(state: State, caller: Caller, choices: Choices): ModelRule {
  const allowedRoleID = choices.sometimes(35)
    ? (chooseID(state, caller, choices, ({ roles }) => roles) ?? null)
    : null;
  const allowedTags = choices.sometimes(35) ? [choices.pick(TAGS)] : undefined;
  const protocol = choices.pick(["TCP", "ANY", "UDP", "ICMP"] as const);
  return {
    protocol,
    description: "",
    allowedRoleID,
    ...(allowedTags && { allowedTags }),
    portRange: choices.pick(PORT_RANGES),
  };
}

export function chooseRules(state: State, caller: Caller, choices: Choices): ModelRule[] {
  const count = choices.pick([1, 0, 2]);
  return Array.from({ length: count }, () => chooseRule(state, caller, choices));
}

export const chooseRouteRules = (
  state: State,
  caller: Caller,
  choices: Choices,
  subnets: readonly string[],
): ModelRouteRule[] =>
  chooseRules(state, caller, choices).map((rule) => ({
    ...rule,
    localCIDR: choices.pick(["0.0.0.0/0", ...subnets]),
  }));

export const chooseOverrides = (choices: Choices): Override[] =>
  choices.sometimes(25) ? [{ key: "tun.mtu", value: choices.pick([1200, 1350, 1400]) }] : [];
