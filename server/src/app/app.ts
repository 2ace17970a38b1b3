/** The server without a socket: every route, hook and header, given a context. */
import { BODY_BYTES_MAX, sendAgentMessage } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import Fastify, { type FastifyInstance } from "fastify";
import { serveAgents } from "../features/agents/agents.routes.ts";
import { createCallingHostFinder } from "../features/agents/calling-hosts.service.ts";
import { serveDeviceRequests } from "../features/agents/device-requests.routes.ts";
import { serveEndpointAuth } from "../features/agents/endpoint-auth.routes.ts";
import type { HostCommandClientOptions } from "../features/agents/host-command-client.ts";
import { createPresence } from "../features/agents/presence.service.ts";
import { serveApiKeys } from "../nouns/api-keys/api-keys.routes.ts";
import { revokeApiKeysOf } from "../nouns/api-keys/api-keys.service.ts";
import { serveAuditLogs } from "../nouns/audit/audit.routes.ts";
import { serveAuth, serveInvitationLinks } from "../nouns/auth/auth.routes.ts";
import { createAdmission } from "../nouns/auth/identity/admission.ts";
import { composeMagicLink } from "../nouns/auth/magic-links.service.ts";
import { serveSessions } from "../nouns/auth/sessions.routes.ts";
import { serveTotpAuthenticators } from "../nouns/auth/totp.routes.ts";
import { serveBilling } from "../nouns/billing/billing.routes.ts";
import { serveCertificateAuthorities } from "../nouns/certificate-authorities/certificate-authorities.routes.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { serveCaRotations } from "../features/control/ca-rotations.routes.ts";
import { serveHostState } from "../features/control/host-state.routes.ts";
import { type Control, createControl } from "../features/control/control.ts";
import { newId } from "../infrastructure/crypto/ids.ts";
import { detach } from "../features/detach/detach.service.ts";
import { serveDocs } from "../features/docs/docs.ts";
import { serveDownloads } from "../features/downloads/downloads.routes.ts";
import { serveGetStarted } from "../features/get-started/get-started.routes.ts";
import { serveEnrollment } from "../features/enrollment/enrollment.routes.ts";
import { serveHostCommands } from "../features/agents/host-commands.routes.ts";
import { deleteHostsOfOrganization } from "../nouns/hosts/host-changes.service.ts";
import { serveHosts } from "../nouns/hosts/hosts.routes.ts";
import { ApiError } from "../infrastructure/errors/api-error.ts";
import { closeAfterEarlyResponses, limitRequests } from "../infrastructure/http/connections.ts";
import { createConsole, serveVersion } from "../infrastructure/http/console.ts";
import {
  rejectConnection,
  rejectBeforeRouting,
  sendApiError,
  handleErrors,
} from "../infrastructure/http/error-responses.ts";
import { serveHealth } from "../infrastructure/http/health.ts";
import { serveMetrics } from "../infrastructure/http/metrics.ts";
import { serveReference } from "../infrastructure/http/api-reference.ts";
import { type AllowanceName, limitRequestRate } from "../infrastructure/http/request-rate.ts";
import { createRoutes } from "../infrastructure/http/route.ts";
import { serveDate, serveSecurityHeaders } from "../infrastructure/http/security.ts";
import { createShutdown, type Shutdown } from "../infrastructure/http/shutdown.ts";
import type { ImportParserOptions } from "../features/import/import-parser.ts";
import { serveImport } from "../features/import/import.routes.ts";
import { serveInstallScript } from "../features/install/install.routes.ts";
import { createJobRunner } from "../nouns/jobs/job-runner.ts";
import { serveJobs } from "../nouns/jobs/jobs.routes.ts";
import { serveClientErrors } from "../features/live/client-errors.routes.ts";
import { type EventOptions, serveEvents } from "../features/live/events.routes.ts";
import { serveMailbox } from "../features/mail/mailbox.routes.ts";
import { createOutbox } from "../features/mail/outbox.ts";
import { plainMail } from "../infrastructure/mail/plain-mail.ts";
import { serveInvitations, serveMembers } from "../nouns/members/members.routes.ts";
import { serveNetworks } from "../nouns/networks/networks.routes.ts";
import { serveOrganizations } from "../nouns/organizations/organizations.routes.ts";
import { serveRoles } from "../nouns/roles/roles.routes.ts";
import { serveRoutes } from "../nouns/routes/routes.routes.ts";
import { deleteRoutesOfOrganization } from "../nouns/routes/routes.service.ts";
import { serveDomains } from "../nouns/sso/domains.routes.ts";
import { createIdentityProviders } from "../nouns/sso/identity-providers.ts";
import type { ProviderEdges } from "../nouns/sso/pinned-fetch.ts";
import { serveSso } from "../nouns/sso/sso.routes.ts";
import { resolveTxt, type ResolveTxt } from "../nouns/sso/txt-records.ts";
import { serveSupport } from "../features/support/support.routes.ts";
import { serveTags } from "../nouns/tags/tags.routes.ts";
import type { Worker } from "../infrastructure/scheduling/worker.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";

declare module "fastify" {
  interface FastifyRequest {
    actorID: string | undefined;
  }
  interface FastifyContextConfig {
    /** Its body may go on for as long as there is something to say. */
    takesTime?: boolean;
    /** Whose share of requests it counts against; the general one unless stated. */
    allowance?: AllowanceName;
  }
}

export interface AppOptions {
  /** Where the built console is; without it only the API is served. */
  consoleDirectory?: string | undefined;
  /** Where the built documentation is; without it there is only the API reference. */
  docsDirectory?: string | undefined;
  /** Where the built agents are; without it none are offered. */
  downloadsDirectory?: string | undefined;
  strict?: boolean;
  /** How long a host's poll is held when there is nothing to do. */
  agentHoldMs?: number | undefined;
  /** How identity providers are found. */
  identityProviders?: ProviderEdges | undefined;
  /** How the records of domains are looked up. */
  resolveTxt?: ResolveTxt | undefined;
  importParser?: ImportParserOptions | undefined;
  hostCommands?: HostCommandClientOptions | undefined;
  events?: EventOptions | undefined;
}

export interface App {
  http: FastifyInstance;
  shutdown: Shutdown;
  outbox: Worker;
  /** Works through bulk changes. */
  jobs: Worker;
  /** Keeps the payment provider and the organizations in step. */
  billing: Worker;
  /** Notes which hosts are there. */
  presence: Worker;
  control: Control;
  served: ReturnType<typeof createRoutes>["served"];
}

/** All that Node takes in a request's head, so that a long id is one that is not found. */
const PATH_BYTES_MAX = 16 * 1024;
const REQUEST_MS = 30_000;
/** Logs are streamed for ten minutes at most. */
const LONGEST_REQUEST_MS = 15 * MINUTE_MS;
const API_PATH = /^\/v\d+(\/|$|\?)/;

export function createApp(ctx: Context, options: AppOptions = {}): App {
  const { consoleDirectory, downloadsDirectory, strict = false, agentHoldMs, identityProviders } = options;
  const http = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: trusting(ctx.config.trustProxy),
    genReqId: () => newId("req"),
    requestIdHeader: false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    requestTimeout: LONGEST_REQUEST_MS,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PATH_BYTES_MAX },
    frameworkErrors: (_error, request, reply) => rejectBeforeRouting(ctx.config, request, reply),
    clientErrorHandler: (error, socket) => rejectConnection(ctx.config, error, socket),
  });
  // Agents send no content type; whatever arrives is JSON or refused as such.
  http.removeAllContentTypeParsers();
  http.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  http.decorateRequest("actorID", undefined);

  const shutdown = createShutdown(http);
  closeAfterEarlyResponses(http);
  limitRequests(http, ctx.config, REQUEST_MS);
  serveSecurityHeaders(http, ctx.config);
  limitRequestRate(http, ctx.config);
  rejectUnknownPaths(http);
  serveDate(http, ctx.clock);
  handleErrors(http, ctx);
  logRequests(http, ctx);
  serveMetrics(http, ctx);
  serveHealth(http, ctx, shutdown);
  serveVersion(http, ctx.version);
  serveReference(http);
  serveDocs(http, options.docsDirectory);
  serveMailbox(http, ctx);

  const outbox = createOutbox(ctx, async (job) =>
    job.content ? plainMail(job.email, job.content) : composeMagicLink(ctx, job),
  );
  const jobs = createJobRunner(ctx);
  const { routes, served } = createRoutes(http, ctx, { admission: createAdmission(ctx), strict });
  serveAuth(routes, ctx, () => outbox.wake());
  serveInvitationLinks(routes, ctx);
  serveTotpAuthenticators(routes, ctx);
  const providers = createIdentityProviders(ctx.config, identityProviders);
  serveSso(routes, ctx, providers);
  serveDomains(routes, ctx, options.resolveTxt ?? resolveTxt);
  serveOrganizations(routes, ctx, [deleteRoutesOfOrganization, deleteHostsOfOrganization]);
  const billing = serveBilling(routes, ctx);
  serveMembers(routes, ctx, { wakeOutbox: () => outbox.wake(), revokeApiKeys: revokeApiKeysOf });
  serveInvitations(routes, ctx);
  serveSessions(routes, ctx);
  serveSupport(routes, ctx, () => outbox.wake());
  serveNetworks(routes, ctx);
  serveCertificateAuthorities(routes, ctx);
  serveCaRotations(routes, ctx);
  serveGetStarted(routes, ctx);
  serveHosts(routes, ctx);
  serveHostCommands(routes, ctx, { shutdown: shutdown.signal, ...options.hostCommands });
  serveJobs(routes, ctx, () => jobs.wake());
  serveRoles(routes, ctx, detach);
  serveTags(routes, ctx, detach);
  serveRoutes(routes, ctx);
  serveImport(routes, ctx, options.importParser);
  const presence = createPresence(ctx);
  const findHost = createCallingHostFinder(ctx.reader);
  const control = createControl(ctx, { findHost, pollMs: agentHoldMs, shutdown: shutdown.signal });
  serveEnrollment(routes, ctx, control);
  serveHostState(routes, control);
  serveAgents(routes, ctx, { control, presence, findHost, shutdown: shutdown.signal });
  serveEndpointAuth(routes, ctx, providers);
  serveDeviceRequests(routes, ctx);
  serveDownloads(routes, http, ctx, downloadsDirectory);
  serveInstallScript(http, ctx);
  serveApiKeys(routes, ctx);
  serveAuditLogs(routes, ctx, shutdown.signal);
  serveEvents(routes, ctx, { shutdown: shutdown.signal, ...options.events });
  serveClientErrors(routes, ctx);
  rejectOtherMethods(http);

  const serveConsole = createConsole(ctx, consoleDirectory);
  http.setNotFoundHandler((request, reply) => {
    const console = API_PATH.test(request.url) ? undefined : serveConsole(request, reply);
    return console ?? sendApiError(reply, new ApiError("ERR_NOT_FOUND"));
  });
  http.addHook("onClose", async () => {
    await Promise.all([control.stop(), presence.worker.stop()]);
  });
  return { http, shutdown, outbox, jobs, billing, presence: presence.worker, control, served };
}

/** As many proxies as are configured, counted from here, may say whom they speak for. */
const trusting = (proxies: false | number) =>
  proxies !== false && ((_address: string, hop: number) => hop < proxies);

/** What is not found is refused before its body is read. Reading calls go on: they may be the console's. */
function rejectUnknownPaths(http: FastifyInstance): void {
  http.addHook("onRequest", async ({ is404, method }) => {
    if (is404 && method !== "GET" && method !== "HEAD") throw new ApiError("ERR_NOT_FOUND");
  });
}

/** A path that exists, asked with a method it does not have, is a 405 that names those it has. */
function rejectOtherMethods(http: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of endpoints.values()) {
    const url = path.replace(/\{\w+\}/g, ":id");
    methodsOf.set(url, (methodsOf.get(url) ?? new Set()).add(method));
  }
  for (const [url, methods] of methodsOf) {
    const others = (["GET", "POST", "PUT", "DELETE", "PATCH"] as const).filter(
      (method) => !methods.has(method),
    );
    http.route({
      method: others,
      url,
      onRequest: async (_request, reply) => {
        void reply.header("allow", [...methods].join(", "));
        throw new ApiError("ERR_METHOD_NOT_ALLOWED");
      },
      handler: (_request, reply) => reply.callNotFound(),
    });
  }
}

function logRequests(http: FastifyInstance, { log }: Context): void {
  http.addHook("onResponse", async (request, reply) => {
    const { statusCode } = reply;
    // What every host says every minute would bury what people do, and so would a flood that is refused.
    const isRoutine = request.routeOptions.url === sendAgentMessage.path && statusCode === 200;
    log[isRoutine || statusCode === 429 ? "debug" : "info"](
      {
        requestID: request.id,
        method: request.method,
        // The pattern, never the address: a query string can hold a magic link's token.
        route: request.routeOptions.url ?? "console",
        status: statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.actorID && { actorID: request.actorID }),
      },
      "request",
    );
  });
}
