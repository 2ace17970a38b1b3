import { createRole, deleteRole, getRole, updateRole } from "@lightkeeper/contract";
import { callApi } from "../call.ts";
import { chooseCaller, chooseID, chooseRules, NAMES } from "../choices.ts";
import { reading, writing } from "../permissions.ts";
import { findByID, getByID, hasName, record, removeByID } from "../state.ts";
import type { CallFactories } from "./factories.ts";
import { detach, ensureTags, isUsed, namesMissingRole, tagsOfRules } from "./rules.ts";

const DETACH_SCOPES = ["hosts:update", "roles:update", "tags:update", "routes:update"] as const;

export const roleCalls: CallFactories = {
  createRole: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const body = { name: choices.pick(NAMES), firewallRules: chooseRules(state, caller, choices) };
    return callApi({
      caller,
      permission: writing("roles:create"),
      name: "createRole",
      endpoint: createRole,
      input: { body },
      predict: (organization, actor) => ({
        problems: [
          hasName(organization.roles, body.name) && "ERR_DUPLICATE_VALUE",
          namesMissingRole(organization, body.firewallRules) && "ERR_INVALID_REFERENCE",
        ],
        change: (changed, data) => {
          const id = data?.id ?? "new";
          ensureTags(changed, actor, tagsOfRules(body.firewallRules));
          changed.roles.push({ id, name: body.name, description: "", firewallRules: body.firewallRules });
          record(changed, actor, ["role", id], "CREATED");
        },
        response: () => ({ ...body, hostCount: 0 }),
      }),
    });
  },

  updateRole: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const roleID = chooseID(state, caller, choices, ({ roles }) => roles);
    if (roleID === undefined) return undefined;
    const name = choices.sometimes(30) ? choices.pick(NAMES) : undefined;
    const firewallRules = chooseRules(state, caller, choices);
    return callApi({
      caller,
      permission: writing("roles:update"),
      name: "updateRole",
      endpoint: updateRole,
      input: { params: { roleID }, body: { ...(name && { name }), firewallRules } },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.roles, roleID) && "ERR_NOT_FOUND",
          namesMissingRole(organization, firewallRules) && "ERR_INVALID_REFERENCE",
          name !== undefined && hasName(organization.roles, name, roleID) && "ERR_DUPLICATE_VALUE",
        ],
        change: (changed) => {
          ensureTags(changed, actor, tagsOfRules(firewallRules));
          const role = getByID(changed.roles, roleID);
          Object.assign(role, { name: name ?? role.name, description: "", firewallRules });
          record(changed, actor, ["role", roleID], "UPDATED");
        },
        response: ({ roles, hosts }) => ({
          ...getByID(roles, roleID),
          hostCount: hosts.filter((host) => host.roleID === roleID).length,
        }),
      }),
    });
  },

  deleteRole: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const roleID = chooseID(state, caller, choices, ({ roles }) => roles);
    if (roleID === undefined) return undefined;
    const isDetaching = choices.sometimes(50);
    return callApi({
      caller,
      permission: writing("roles:delete", ...(isDetaching ? DETACH_SCOPES : [])),
      name: "deleteRole",
      endpoint: deleteRole,
      input: { params: { roleID }, query: { detach: isDetaching } },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.roles, roleID) && "ERR_NOT_FOUND",
          !isDetaching && isUsed(organization, { roleID }) && "ERR_HAS_DEPENDENTS",
        ],
        change: (changed) => {
          detach(changed, actor, { roleID });
          removeByID(changed.roles, roleID);
          record(changed, actor, ["role", roleID], "DELETED");
        },
      }),
    });
  },

  getRole: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const roleID = chooseID(state, caller, choices, ({ roles }) => roles);
    if (roleID === undefined) return undefined;
    return callApi({
      caller,
      permission: reading("roles:read"),
      name: "getRole",
      endpoint: getRole,
      input: { params: { roleID } },
      predict: ({ roles }) => ({
        problems: [!findByID(roles, roleID) && "ERR_NOT_FOUND"],
        response: (organization) => getByID(organization.roles, roleID),
      }),
    });
  },
};
