import {
  createGuarantee,
  deleteGuarantee,
  getGuarantee,
  resumeGuarantee,
  suspendGuarantee,
  updateGuarantee,
} from "@lightkeeper/contract";
import { callApi, type Caller } from "../call.ts";
import { chooseCaller, chooseID, type Choices, PORTS, TAGS } from "../choices.ts";
import { evaluate } from "../guarantees.ts";
import { reading, writing } from "../permissions.ts";
import {
  findByID,
  getByID,
  type Organization,
  record,
  removeByID,
  type Selector,
  type State,
} from "../state.ts";
import type { CallFactories } from "./factories.ts";

function chooseSelector(state: State, caller: Caller, choices: Choices): Selector {
  const type = choices.pick(["any", "role", "tag", "host"] as const);
  if (type === "tag") return { type, id: choices.pick(TAGS) };
  const id =
    type === "any"
      ? undefined
      : chooseID(state, caller, choices, ({ roles, hosts }) => (type === "role" ? roles : hosts));
  return type === "any" || id === undefined ? { type: "any" } : { type, id };
}

function chooseBody(state: State, caller: Caller, choices: Choices) {
  const port = choices.pick(PORTS);
  const traffic = choices.pick([
    { protocol: "TCP" as const, portRange: { from: port, to: port } },
    { protocol: "ICMP" as const, portRange: null },
  ]);
  const networkID = choices.sometimes(30)
    ? (chooseID(state, caller, choices, ({ networks }) => networks) ?? null)
    : null;
  return {
    type: choices.pick(["MUST_NEVER_REACH", "MUST_REACH"] as const),
    source: chooseSelector(state, caller, choices),
    destination: chooseSelector(state, caller, choices),
    ...traffic,
    networkID,
  };
}
type GuaranteeBody = ReturnType<typeof chooseBody>;

function isMissing({ roles, tags, hosts }: Organization, selector: Selector): boolean {
  if (selector.type === "any") return false;
  if (selector.type === "tag") return !tags.some(({ name }) => name === selector.id);
  return !findByID<{ id: string }>(selector.type === "role" ? roles : hosts, selector.id);
}

const problemsOf = (organization: Organization, { source, destination, networkID }: GuaranteeBody) =>
  [
    isMissing(organization, source) && "ERR_INVALID_REFERENCE",
    isMissing(organization, destination) && "ERR_INVALID_REFERENCE",
    networkID !== null && !findByID(organization.networks, networkID) && "ERR_INVALID_REFERENCE",
  ] as const;

export function respondGuarantee(organization: Organization, id: string) {
  const { isSuspended, ...guarantee } = getByID(organization.guarantees, id);
  const { pairs, broken } = evaluate(organization, { ...guarantee, isSuspended });
  const state = pairs.length === 0 ? "noHosts" : broken.length > 0 ? "failing" : "holds";
  return {
    ...guarantee,
    state: isSuspended ? "suspended" : state,
    pairCount: pairs.length,
    brokenPairCount: broken.length,
  };
}

const DAY_MS = 86_400_000;

export const guaranteeCalls: CallFactories = {
  createGuarantee: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = chooseBody(state, caller, choices);
    return callApi({
      caller,
      permission: writing("guarantees:create"),
      name: "createGuarantee",
      endpoint: createGuarantee,
      input: { body },
      predict: (organization, actor) => ({
        problems: problemsOf(organization, body),
        change: (changed, data) => {
          const id = data?.id ?? "new";
          changed.guarantees.push({ id, ...body, isSuspended: false });
          record(changed, actor, ["guarantee", id], "CREATED");
        },
        response: (changed) => respondGuarantee(changed, changed.guarantees.at(-1)!.id),
      }),
    });
  },

  updateGuarantee: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const guaranteeID = chooseID(state, caller, choices, ({ guarantees }) => guarantees);
    if (guaranteeID === undefined) return undefined;
    const body = chooseBody(state, caller, choices);
    return callApi({
      caller,
      permission: writing("guarantees:update"),
      name: "updateGuarantee",
      endpoint: updateGuarantee,
      input: { params: { guaranteeID }, body },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.guarantees, guaranteeID) && "ERR_NOT_FOUND",
          ...problemsOf(organization, body),
        ],
        change: (changed) => {
          Object.assign(getByID(changed.guarantees, guaranteeID), body);
          record(changed, actor, ["guarantee", guaranteeID], "UPDATED");
        },
        response: (changed) => respondGuarantee(changed, guaranteeID),
      }),
    });
  },

  suspendGuarantee: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const guaranteeID = chooseID(state, caller, choices, ({ guarantees }) => guarantees);
    if (guaranteeID === undefined) return undefined;
    const until = new Date(Date.now() + state.advancedMs + 7 * DAY_MS).toISOString();
    return callApi({
      caller,
      permission: writing("guarantees:update"),
      name: "suspendGuarantee",
      endpoint: suspendGuarantee,
      input: { params: { guaranteeID }, body: { reason: "a test", until } },
      predict: ({ guarantees }, actor) => ({
        problems: [!findByID(guarantees, guaranteeID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          getByID(changed.guarantees, guaranteeID).isSuspended = true;
          record(changed, actor, ["guarantee", guaranteeID], "UPDATED");
        },
        response: (changed) => respondGuarantee(changed, guaranteeID),
      }),
    });
  },

  resumeGuarantee: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const guaranteeID = chooseID(state, caller, choices, ({ guarantees }) => guarantees);
    if (guaranteeID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("guarantees:update"),
      name: "resumeGuarantee",
      endpoint: resumeGuarantee,
      input: { params: { guaranteeID } },
      predict: ({ guarantees }, actor) => ({
        problems: [!findByID(guarantees, guaranteeID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          const guarantee = getByID(changed.guarantees, guaranteeID);
          if (guarantee.isSuspended) record(changed, actor, ["guarantee", guaranteeID], "UPDATED");
          guarantee.isSuspended = false;
        },
        response: (changed) => respondGuarantee(changed, guaranteeID),
      }),
    });
  },

  deleteGuarantee: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const guaranteeID = chooseID(state, caller, choices, ({ guarantees }) => guarantees);
    if (guaranteeID === undefined) return undefined;
    return callApi({
      caller,
      permission: writing("guarantees:delete"),
      name: "deleteGuarantee",
      endpoint: deleteGuarantee,
      input: { params: { guaranteeID } },
      predict: ({ guarantees }, actor) => ({
        problems: [!findByID(guarantees, guaranteeID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          removeByID(changed.guarantees, guaranteeID);
          record(changed, actor, ["guarantee", guaranteeID], "DELETED");
        },
      }),
    });
  },

  getGuarantee: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const guaranteeID = chooseID(state, caller, choices, ({ guarantees }) => guarantees);
    if (guaranteeID === undefined) return undefined;
    return callApi({
      caller,
      permission: reading("guarantees:read"),
      name: "getGuarantee",
      endpoint: getGuarantee,
      input: { params: { guaranteeID } },
      predict: (organization) => ({
        problems: [!findByID(organization.guarantees, guaranteeID) && "ERR_NOT_FOUND"],
        response: () => respondGuarantee(organization, guaranteeID),
      }),
    });
  },
};
