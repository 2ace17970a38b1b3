import { hashToken } from "../../../infrastructure/crypto/tokens.ts";
import type { Presented } from "../../../infrastructure/http/actor.ts";
import { API_KEY_TOKEN_PREFIX } from "../../api-keys/api-keys.service.ts";
import { SSO_TOKEN_PREFIX } from "../../sso/sso-sessions.service.ts";

const HEADER = /^Bearer +([\w-]{1,128})(?: +([\w-]{1,128}))? *$/i;

export function readPresentedTokens(authorization: string | undefined): Presented | undefined {
  const match = HEADER.exec(authorization ?? "");
  if (!match?.[1]) return undefined;
  const [, first, second] = match;
  return {
    kind: kindOf(first),
    token: hashToken(first),
    authToken: second ? hashToken(second) : undefined,
  };
}

function kindOf(token: string): Presented["kind"] {
  if (token.startsWith(API_KEY_TOKEN_PREFIX)) return "apiKey";
  return token.startsWith(SSO_TOKEN_PREFIX) ? "oidcUser" : "user";
}
