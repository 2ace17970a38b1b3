import * as z from "zod/mini";
import { access, data, endpoint, list, withRecentFactor } from "../endpoint.ts";
import { Empty, id, instant, PAGE_SIZE_MAX, pageQuery, replacement, text } from "../fields.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";
import { scopes } from "../nouns.ts";
import { DAY_SECONDS } from "../durations.ts";

const noun = "api-keys";

/** Limit per organization, so that one page can list all keys. */
export const API_KEYS_MAX = PAGE_SIZE_MAX;

export const ApiKey = z.strictObject({
  id: id("lkkey"),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  expiresAt: z.nullable(instant()),
  lastUsedAt: z.nullable(instant()),
  /** When the previous token stops working. */
  previousExpiresAt: z.nullable(instant()),
  createdAt: instant(),
  /** The creator, with the email address at that time; null for keys created before this was recorded. */
  createdBy: z.nullable(z.strictObject({ id: z.string(), email: z.string() })),
});
export type ApiKey = z.output<typeof ApiKey>;

/** The only response that contains the token. */
export const NewApiKey = z.extend(ApiKey, { token: z.string() });

const OVERLAP_SECONDS_MAX = 30 * DAY_SECONDS;
const name = text(1, NAME_LENGTH_MAX);
const selectedScopes = z.array(z.enum(scopes)).check(z.minLength(1), z.maxLength(scopes.length));
const expiresAt = z._default(z.optional(z.nullable(instant())), null);

export const ApiKeyCreate = z.strictObject({ name, scopes: selectedScopes, expiresAt });
export const ApiKeyUpdate = replacement({ name, scopes: selectedScopes, expiresAt }, ApiKey);

export const listApiKeys = endpoint({
  method: "GET",
  path: "/v1/api-keys",
  noun,
  summary: "List API keys",
  access: access.session,
  query: z.strictObject(pageQuery),
  response: list(ApiKey),
});

export const createApiKey = endpoint({
  method: "POST",
  path: "/v1/api-keys",
  noun,
  summary: "Create an API key; its token is shown once",
  access: withRecentFactor(access.session),
  body: ApiKeyCreate,
  response: data(NewApiKey),
  errors: ["ERR_LIMIT_EXCEEDED"],
});

export const getApiKey = endpoint({
  method: "GET",
  path: "/v1/api-keys/{apiKeyID}",
  noun,
  summary: "Get an API key",
  access: access.session,
  response: data(ApiKey),
});

export const updateApiKey = endpoint({
  method: "PUT",
  path: "/v1/api-keys/{apiKeyID}",
  noun,
  summary: "Replace an API key's name, scopes and expiry",
  access: withRecentFactor(access.session),
  body: ApiKeyUpdate,
  response: data(ApiKey),
});

export const rotateApiKey = endpoint({
  method: "POST",
  path: "/v1/api-keys/{apiKeyID}/rotate",
  noun,
  summary: "Rotate an API key's token; the old token keeps working for `overlapSeconds`",
  access: withRecentFactor(access.session),
  body: z.strictObject({ overlapSeconds: z.int().check(z.minimum(0), z.maximum(OVERLAP_SECONDS_MAX)) }),
  response: data(NewApiKey),
});

export const deleteApiKey = endpoint({
  method: "DELETE",
  path: "/v1/api-keys/{apiKeyID}",
  noun,
  summary: "Delete an API key; it stops working immediately",
  access: access.session,
  response: data(Empty),
});
