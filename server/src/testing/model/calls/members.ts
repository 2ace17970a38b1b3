import {
  inviteMember,
  leaveOrganization,
  memberRoles,
  removeMember,
  updateMember,
} from "@lightkeeper/contract";
import { type Call, callApi, requireCodes, settle } from "../call.ts";
import { chooseCaller, chooseID, chooseOrganization } from "../choices.ts";
import { owning } from "../permissions.ts";
import { findByID, getByID, type ModelMember, type Organization, record, removeByID } from "../state.ts";
import { acceptNewestInvitation, newInvitedEmail } from "../../members.ts";
import type { CallFactories } from "./factories.ts";

const isOnlyOwner = ({ members }: Organization, id: string): boolean =>
  findByID(members, id)?.role === "owner" &&
  findByID(members, id)?.kind === "user" &&
  members.filter(({ role, kind }) => role === "owner" && kind === "user").length === 1;

function removeKeysOf(changed: Organization, actor: string, creatorID: string): void {
  for (const key of changed.keys.filter(({ createdByID }) => createdByID === creatorID)) {
    removeByID(changed.keys, key.id);
    record(changed, actor, ["apiKey", key.id], "DELETED");
  }
}

/** Accepting takes several requests: a login link, the invitation and an authenticator. */
function acceptInvitation(organization: number, invitation: ModelMember): Call {
  return {
    text: `acceptInvitation of ${invitation.id}`,
    send: async (driver) => {
      const reply = await settle(acceptNewestInvitation(driver.server, invitation.email));
      const session = reply.data as Awaited<ReturnType<typeof acceptNewestInvitation>> | undefined;
      if (session) driver.addCredentials(session.userID, session.userToken, session.authToken);
      return { codes: reply.codes, data: session?.userID };
    },
    accept: (state, reply) => {
      requireCodes(reply, []);
      const changed = state.organizations[organization]!;
      const id = reply.data as string;
      removeByID(changed.members, invitation.id);
      changed.members.push({ ...invitation, id, kind: "user" });
      changed.callers.push(id);
      record(changed, id, ["user", id], "CREATED");
    },
  };
}

export const memberCalls: CallFactories = {
  inviteMember: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const members = state.organizations[caller.organization]!.members;
    const email = choices.sometimes(20) ? choices.pick(members).email : newInvitedEmail();
    const body = { email, role: choices.pick(memberRoles.toReversed()) };
    return callApi({
      caller,
      permission: owning,
      name: "inviteMember",
      endpoint: inviteMember,
      input: { body },
      predict: (organization, actor) => ({
        problems: [
          organization.members.some((member) => member.kind === "user" && member.email === email) &&
            "ERR_DUPLICATE_VALUE",
        ],
        change: (changed, data) => {
          const id = data?.id ?? "new";
          changed.members = changed.members.filter((member) => member.email !== email);
          changed.members.push({ id, ...body, kind: "invitation" });
          record(changed, actor, ["user", id], "CREATED");
        },
        response: ({ members: after }) => after.at(-1),
      }),
    });
  },

  acceptInvitation: (state, choices) => {
    const organization = chooseOrganization(state, choices);
    const { members } = state.organizations[organization]!;
    const invitation = choices.pickAny(members.filter(({ kind }) => kind === "invitation"));
    return invitation && acceptInvitation(organization, invitation);
  },

  updateMember: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const memberID = chooseID(state, caller, choices, ({ members }) => members);
    if (memberID === undefined) return undefined;
    const role = choices.pick(memberRoles);
    return callApi({
      caller,
      permission: owning,
      name: "updateMember",
      endpoint: updateMember,
      input: { params: { memberID }, body: { role } },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.members, memberID) && "ERR_NOT_FOUND",
          role !== "owner" && isOnlyOwner(organization, memberID) && "ERR_INVALID_VALUE",
        ],
        change: ({ members, ...changed }) => {
          getByID(members, memberID).role = role;
          record({ members, ...changed }, actor, ["user", memberID], "UPDATED");
        },
        response: ({ members }) => getByID(members, memberID),
      }),
    });
  },

  removeMember: (state, choices) => {
    const caller = chooseCaller(state, choices);
    const memberID = chooseID(state, caller, choices, ({ members }) => members);
    if (memberID === undefined) return undefined;
    const revokeAPIKeys = choices.sometimes(50);
    return callApi({
      caller,
      permission: owning,
      name: "removeMember",
      endpoint: removeMember,
      input: { params: { memberID }, query: { revokeAPIKeys } },
      predict: (organization, actor) => ({
        problems: [
          !findByID(organization.members, memberID) && "ERR_NOT_FOUND",
          isOnlyOwner(organization, memberID) && "ERR_INVALID_VALUE",
        ],
        change: (changed) => {
          removeByID(changed.members, memberID);
          record(changed, actor, ["user", memberID], "DELETED");
          if (revokeAPIKeys) removeKeysOf(changed, actor, memberID);
        },
      }),
    });
  },

  leaveOrganization: (state, choices) => {
    const caller = chooseCaller(state, choices);
    return callApi({
      caller,
      permission: { role: "auditor", scopes: null },
      name: "leaveOrganization",
      endpoint: leaveOrganization,
      input: { query: { revokeAPIKeys: false } },
      predict: (organization, actor) => ({
        problems: [isOnlyOwner(organization, actor) && "ERR_INVALID_VALUE"],
        change: (changed) => {
          removeByID(changed.members, actor);
          record(changed, actor, ["user", actor], "DELETED");
        },
      }),
    });
  },
};
