/** The catalogue of calls, for whoever needs them all: the server, the reference, the guard tests. */
import * as apiKeys from "./api-keys.ts";
import * as auditLogs from "./audit-logs.ts";
import * as auth from "./auth.ts";
import type { Endpoint } from "./endpoint.ts";
import * as live from "./live.ts";
import * as networks from "./networks.ts";
import * as organizations from "./organizations.ts";
import * as roles from "./roles.ts";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "answer" in value && "access" in value;

export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  [auth, organizations, networks, roles, apiKeys, auditLogs, live].flatMap((noun) =>
    Object.entries(noun).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
  ),
);
