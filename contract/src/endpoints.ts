/** All endpoints by name, for the server, the API reference and the guard tests. */
import * as agents from "./agents.ts";
import * as apiKeys from "./api-keys.ts";
import * as auditLogs from "./audit-logs.ts";
import * as auth from "./auth.ts";
import * as billing from "./billing.ts";
import * as caRotations from "./ca-rotations.ts";
import * as certificateAuthorities from "./certificate-authorities.ts";
import * as dependents from "./dependents.ts";
import * as deviceRequests from "./device-requests.ts";
import * as domains from "./domains.ts";
import * as downloads from "./downloads.ts";
import type { Endpoint } from "./endpoint.ts";
import * as endpointSignIns from "./endpoint-sign-ins.ts";
import * as getStarted from "./get-started.ts";
import * as hostCommands from "./host-commands.ts";
import * as hostState from "./host-state.ts";
import * as hosts from "./hosts.ts";
import * as imports from "./import.ts";
import * as invitations from "./invitations.ts";
import * as jobs from "./jobs.ts";
import * as live from "./live.ts";
import * as networks from "./networks.ts";
import * as oidcProvider from "./oidc-provider.ts";
import * as organizations from "./organizations.ts";
import * as members from "./members.ts";
import * as roles from "./roles.ts";
import * as routes from "./routes.ts";
import * as support from "./support.ts";
import * as tags from "./tags.ts";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "response" in value && "access" in value;

export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  [
    auth,
    oidcProvider,
    endpointSignIns,
    domains,
    deviceRequests,
    organizations,
    billing,
    members,
    invitations,
    networks,
    certificateAuthorities,
    caRotations,
    getStarted,
    hosts,
    hostState,
    hostCommands,
    jobs,
    roles,
    tags,
    dependents,
    routes,
    imports,
    downloads,
    agents,
    apiKeys,
    auditLogs,
    support,
    live,
  ].flatMap((noun) =>
    Object.entries(noun).filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1])),
  ),
);
