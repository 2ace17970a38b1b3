import { type Access, type Endpoint, requiredRoleOf, requiresRecentFactor } from "../endpoint.ts";
import type { MemberRole } from "../member-roles.ts";

const people: Record<MemberRole, string> = {
  owner: "A logged-in owner",
  administrator: "A logged-in owner or administrator",
  auditor: "Any logged-in member",
};

const listScopes = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(" and ");

const furtherScopes = ({ scopesWhen = {} }: Extract<Access, { kind: "scope" }>) =>
  Object.entries(scopesWhen)
    .map(([parameter, scopes]) => ` With \`${parameter}=true\`, an API key also needs ${listScopes(scopes)}.`)
    .join("");

function describeCallers(endpoint: Endpoint): string {
  const { access } = endpoint;
  const person = people[requiredRoleOf(endpoint)];
  switch (access.kind) {
    case "public":
      return "Anyone, without credentials.";
    case "agent":
      return "A host's agent, authenticated by the message itself.";
    case "presentedTokens":
      return "Anyone with a valid token.";
    case "anyone":
      return "Anyone with a valid credential; a user token is enough.";
    case "userToken":
      return "A person with a user token; the second factor isn't required.";
    case "session":
      return `${person}.`;
    case "user":
      return `${person} who doesn't use single sign-on.`;
    case "scope":
      return `${person}, or an API key with the scope ${listScopes(access.scopes)}.${furtherScopes(access)}`;
  }
}

/** Who can make a call. */
export function describeAccess(endpoint: Endpoint): string {
  if (!requiresRecentFactor(endpoint)) return describeCallers(endpoint);
  const condition = endpoint.access.kind === "userToken" ? ", once the user has an authenticator" : "";
  return `${describeCallers(endpoint)} The person must have authenticated within the last hour${condition}.`;
}
