import { createTag, deleteTag, getTag, updateTag } from "@lightkeeper/contract";
import { callApi, type Caller } from "../call.ts";
import { chooseCaller, chooseID, chooseOverrides, chooseRules, type Choices, TAGS } from "../choices.ts";
import { reading, writing } from "../permissions.ts";
import { findByID, type ModelTag, type Organization, record, type State } from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { detach, ensureTags, isUsed, namesMissingRole, tagsOfRules } from "./rules.ts";

const DETACH_SCOPES = ["hosts:update", "roles:update", "tags:update", "routes:update"] as const;

interface Position {
  before?: string;
  after?: string;
}

function choosePosition(choices: Choices): Position {
  const neighbor = choices.pick(TAGS);
  return choices.pick([{}, {}, { before: neighbor }, { after: neighbor }]);
}

/** Mostly a tag that exists. */
function chooseTag(state: State, { organization }: Caller, choices: Choices): string {
  const names = state.organizations[organization]!.tags.map(({ name }) => name);
  return choices.pick(names.length > 0 && !choices.sometimes(20) ? names : TAGS);
}

function chooseBody(state: State, caller: Caller, choices: Choices) {
  const routeID = chooseID(state, caller, choices, ({ routes }) => routes);
  return {
    configOverrides: chooseOverrides(choices),
    routeSubscriptions: routeID !== undefined && choices.sometimes(60) ? [routeID] : [],
    firewallRules: chooseRules(state, caller, choices),
    ...choosePosition(choices),
  };
}
type TagBody = ReturnType<typeof chooseBody>;

const findTag = ({ tags }: Organization, name: string): ModelTag | undefined =>
  tags.find((tag) => tag.name === name);

/** Moves the tag directly below or above its neighbor; without one, it stays. */
function moveTag({ tags }: Organization, name: string, { before, after }: Position): void {
  const neighbor = before ?? after;
  if (neighbor === undefined) return;
  const [tag] = tags.splice(
    tags.findIndex((each) => each.name === name),
    1,
  );
  const position = tags.findIndex((each) => each.name === neighbor);
  if (tag) tags.splice(before === undefined ? position + 1 : position, 0, tag);
}

/** Tags that rules name exist before the position is looked up. */
function isMissingNeighbor(organization: Organization, name: string, body: TagBody): boolean {
  const neighbor = body.before ?? body.after;
  if (neighbor === undefined) return false;
  const isCreated = tagsOfRules(body.firewallRules).includes(neighbor);
  return neighbor === name || (!findTag(organization, neighbor) && !isCreated);
}

const problemsOf = (organization: Organization, name: string, body: TagBody) =>
  [
    namesMissingRole(organization, body.firewallRules) && "ERR_INVALID_REFERENCE",
    isMissingNeighbor(organization, name, body) && "ERR_INVALID_REFERENCE",
    body.routeSubscriptions.some((id) => !findByID(organization.routes, id)) && "ERR_INVALID_REFERENCE",
  ] as const;

function writeTag(changed: Organization, tag: ModelTag, { before, after, ...body }: TagBody): void {
  Object.assign(tag, { description: "", ...body });
  moveTag(changed, tag.name, { ...(before && { before }), ...(after && { after }) });
}

const respond = (organization: Organization, name: string) => ({
  ...findTag(organization, name),
  hostCount: organization.hosts.filter(({ tags }) => tags.includes(name)).length,
});

export const tagCalls: CallFactories = {
  createTag: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const name = choices.pick(TAGS);
    const body = chooseBody(state, caller, choices);
    return callApi({
      caller,
      permission: writing("tags:create"),
      name: "createTag",
      endpoint: createTag,
      input: { body: { name, ...body } },
      predict: (organization, actor) => ({
        problems: [
          findTag(organization, name) && "ERR_DUPLICATE_VALUE",
          ...problemsOf(organization, name, body),
        ],
        change: (changed) => {
          const others = tagsOfRules(body.firewallRules).filter((tag) => tag !== name);
          ensureTags(changed, actor, others);
          ensureTags(changed, actor, [name]);
          writeTag(changed, findTag(changed, name)!, body);
        },
        response: (changed) => respond(changed, name),
      }),
    });
  },

  updateTag: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const name = chooseTag(state, caller, choices);
    const body = chooseBody(state, caller, choices);
    return callApi({
      caller,
      permission: writing("tags:update"),
      name: "updateTag",
      endpoint: updateTag,
      input: { params: { tag: name }, body },
      predict: (organization, actor) => ({
        problems: [!findTag(organization, name) && "ERR_NOT_FOUND", ...problemsOf(organization, name, body)],
        change: (changed) => {
          ensureTags(changed, actor, tagsOfRules(body.firewallRules));
          writeTag(changed, findTag(changed, name)!, body);
          record(changed, actor, ["tag", name], "UPDATED");
        },
        response: (changed) => respond(changed, name),
      }),
    });
  },

  deleteTag: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const tag = chooseTag(state, caller, choices);
    const isDetaching = choices.sometimes(50);
    return callApi({
      caller,
      permission: writing("tags:delete", ...(isDetaching ? DETACH_SCOPES : [])),
      name: "deleteTag",
      endpoint: deleteTag,
      input: { params: { tag }, query: { detach: isDetaching } },
      predict: (organization, actor) => ({
        problems: [
          !findTag(organization, tag) && "ERR_NOT_FOUND",
          !isDetaching && isUsed(organization, { tag }) && "ERR_HAS_DEPENDENTS",
        ],
        change: (changed) => {
          detach(changed, actor, { tag });
          changed.tags = changed.tags.filter(({ name }) => name !== tag);
          record(changed, actor, ["tag", tag], "DELETED");
        },
      }),
    });
  },

  getTag: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const tag = chooseTag(state, caller, choices);
    return callApi({
      caller,
      permission: reading("tags:read"),
      name: "getTag",
      endpoint: getTag,
      input: { params: { tag } },
      predict: (organization) => ({
        problems: [!findTag(organization, tag) && "ERR_NOT_FOUND"],
        response: () => respond(organization, tag),
      }),
    });
  },
};
