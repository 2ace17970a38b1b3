import {
  createApiKey,
  deleteApiKey,
  rotateApiKey,
  type Scope,
  scopes,
  updateApiKey,
} from "@lightkeeper/contract";
import { callApi } from "../call.ts";
import { chooseCaller, chooseID, type Choices, NAMES } from "../choices.ts";
import { administrating } from "../permissions.ts";
import { findByID, getByID, type ModelKey, record, removeByID } from "../state.ts";
import type { CallFactories } from "./factories.ts";

/** All scopes, those of one noun, or all of one action. */
function chooseScopes(choices: Choices): Scope[] {
  const word = choices.pick(["", "hosts:", "roles:", "tags:", "routes:", ":read", ":create", "networks:"]);
  return scopes.filter((scope) => scope.includes(word));
}

const presentKey = ({ id, name, scopes: granted }: ModelKey) => ({ id, name, scopes: granted });

/** A token that doesn't work any more, as a caller of its own. */
const oldTokenOf = (id: string, count: number) => `${id} (token ${count})`;

export const apiKeyCalls: CallFactories = {
  createApiKey: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = { name: choices.pick(NAMES), scopes: chooseScopes(choices) };
    return callApi({
      caller,
      permission: administrating,
      name: "createApiKey",
      endpoint: createApiKey,
      input: { body },
      predict: (_, actor) => ({
        problems: [],
        change: (changed, data) => {
          const id = data?.id ?? "new";
          changed.keys.push({ id, ...body, createdByID: actor, tokenCount: 1 });
          changed.callers.push(id);
          record(changed, actor, ["apiKey", id], "CREATED");
        },
        response: ({ keys }) => presentKey(keys.at(-1)!),
      }),
      remember: (driver, data) => driver.addCredentials(data.id, data.token),
    });
  },

  updateApiKey: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const apiKeyID = chooseID(state, caller, choices, ({ keys }) => keys);
    if (apiKeyID === undefined) return undefined;
    const body = { name: choices.pick(NAMES), scopes: chooseScopes(choices) };
    return callApi({
      caller,
      permission: administrating,
      name: "updateApiKey",
      endpoint: updateApiKey,
      input: { params: { apiKeyID }, body },
      predict: ({ keys }, actor) => ({
        problems: [!findByID(keys, apiKeyID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          Object.assign(getByID(changed.keys, apiKeyID), body);
          record(changed, actor, ["apiKey", apiKeyID], "UPDATED");
        },
        response: (changed) => presentKey(getByID(changed.keys, apiKeyID)),
      }),
    });
  },

  rotateApiKey: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const apiKeyID = chooseID(state, caller, choices, ({ keys }) => keys);
    if (apiKeyID === undefined) return undefined;
    return callApi({
      caller,
      permission: administrating,
      name: "rotateApiKey",
      endpoint: rotateApiKey,
      input: { params: { apiKeyID }, body: { overlapSeconds: 0 } },
      predict: ({ keys }, actor) => ({
        problems: [!findByID(keys, apiKeyID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          const key = getByID(changed.keys, apiKeyID);
          changed.callers.push(oldTokenOf(key.id, key.tokenCount));
          key.tokenCount += 1;
          record(changed, actor, ["apiKey", apiKeyID], "UPDATED");
        },
        response: (changed) => presentKey(getByID(changed.keys, apiKeyID)),
      }),
      remember: (driver, data) => driver.replaceCredentials(data.id, data.token, oldTokenOf),
    });
  },

  deleteApiKey: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const apiKeyID = chooseID(state, caller, choices, ({ keys }) => keys);
    if (apiKeyID === undefined) return undefined;
    return callApi({
      caller,
      permission: administrating,
      name: "deleteApiKey",
      endpoint: deleteApiKey,
      input: { params: { apiKeyID } },
      predict: ({ keys }, actor) => ({
        problems: [!findByID(keys, apiKeyID) && "ERR_NOT_FOUND"],
        change: (changed) => {
          removeByID(changed.keys, apiKeyID);
          record(changed, actor, ["apiKey", apiKeyID], "DELETED");
        },
      }),
    });
  },
};
