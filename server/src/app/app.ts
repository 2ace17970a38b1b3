/** The server without a socket: serves every route with a context. */
import type { FastifyInstance } from "fastify";
import { createAccess } from "../features/access/access.ts";
import { servePreview } from "../features/access/preview.routes.ts";
import { serveAccessAnswers } from "../features/access/answers/access.routes.ts";
import type { LoadNetworks } from "../features/access/answers/loaded-network.ts";
import { serveAgents } from "../features/agents/agents.routes.ts";
import { createCallingHostFinder } from "../features/agents/calling-hosts.service.ts";
import { serveDeviceRequests } from "../features/agents/device-requests.routes.ts";
import { serveEndpointAuth } from "../features/agents/endpoint-auth.routes.ts";
import type { HostCommandClientOptions } from "../features/agents/host-command-client.ts";
import { createPresence } from "../features/agents/presence.service.ts";
import { serveApiKeys } from "../nouns/api-keys/api-keys.routes.ts";
import { revokeApiKeysOf } from "../nouns/api-keys/api-keys.service.ts";
import { serveAttention } from "../features/attention/attention.routes.ts";
import { serveAuditLogs } from "../nouns/audit/audit.routes.ts";
import { serveAuth, serveInvitationLinks } from "../nouns/auth/auth.routes.ts";
import { createAdmission } from "../nouns/auth/identity/admission.ts";
import { composeMagicLink } from "../nouns/auth/magic-links.service.ts";
import { serveSessions } from "../nouns/auth/sessions.routes.ts";
import { serveRecoveryCodes } from "../nouns/auth/recovery-codes.routes.ts";
import { serveTotpAuthenticators } from "../nouns/auth/totp.routes.ts";
import { serveBilling } from "../nouns/billing/billing.routes.ts";
import { serveCertificateAuthorities } from "../nouns/certificate-authorities/certificate-authorities.routes.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { serveCaRotations } from "../features/control/ca-rotations.routes.ts";
import { serveNetworkUpgrades } from "../features/control/network-upgrades.routes.ts";
import { serveHostState } from "../features/control/host-state.routes.ts";
import { type Control, createControl } from "../features/control/control.ts";
import { listWaitingHosts } from "../features/control/waiting-rotations.service.ts";
import { detach } from "../features/detach/detach.service.ts";
import { serveDocs } from "../features/docs/docs.ts";
import { serveDownloads } from "../features/downloads/downloads.routes.ts";
import { serveGetStarted } from "../features/get-started/get-started.routes.ts";
import { serveEnrollment } from "../features/enrollment/enrollment.routes.ts";
import { serveHostCommands } from "../features/agents/host-commands.routes.ts";
import { createGuaranteeMonitor } from "../nouns/guarantees/guarantee-monitor.ts";
import { serveGuarantees } from "../nouns/guarantees/guarantees.routes.ts";
import { deleteHostsOfOrganization } from "../nouns/hosts/host-changes.service.ts";
import { serveHosts } from "../nouns/hosts/hosts.routes.ts";
import { ApiError } from "../infrastructure/errors/api-error.ts";
import { createConsole, serveVersion } from "../infrastructure/http/console.ts";
import { sendApiError } from "../infrastructure/http/error-responses.ts";
import { serveHealth } from "../infrastructure/http/health.ts";
import { serveMetrics } from "../infrastructure/http/metrics.ts";
import { rejectOtherMethods } from "../infrastructure/http/other-methods.ts";
import { serveOpenApi } from "../infrastructure/http/openapi.ts";
import { createRoutes, type Routes } from "../infrastructure/http/route.ts";
import type { Shutdown } from "../infrastructure/http/shutdown.ts";
import type { ImportParserOptions } from "../features/import/import-parser.ts";
import { serveImport } from "../features/import/import.routes.ts";
import { serveInstallScript } from "../features/install/install.routes.ts";
import { createJobRunner } from "../nouns/jobs/job-runner.ts";
import { serveJobs } from "../nouns/jobs/jobs.routes.ts";
import { serveClientErrors } from "../features/live/client-errors.routes.ts";
import { type EventOptions, serveEvents } from "../features/live/events.routes.ts";
import { serveMap } from "../features/map/map.routes.ts";
import { serveMailbox } from "../features/mail/mailbox.routes.ts";
import { createOutbox } from "../features/mail/outbox.ts";
import { plainMail } from "../infrastructure/mail/plain-mail.ts";
import { serveInvitations, serveMembers } from "../nouns/members/members.routes.ts";
import { createDeliveryWorker } from "../features/notifications/delivery-worker.ts";
import { serveNotificationDeliveries } from "../features/notifications/deliveries.routes.ts";
import { createNotifier } from "../features/notifications/notifier.ts";
import { serveNetworks } from "../nouns/networks/networks.routes.ts";
import { serveNotificationChannels } from "../nouns/notification-channels/channels.routes.ts";
import { serveNotificationRules } from "../nouns/notification-rules/rules.routes.ts";
import { removeChannelFromRules } from "../nouns/notification-rules/rules.service.ts";
import { serveOrganizations } from "../nouns/organizations/organizations.routes.ts";
import { serveRoles } from "../nouns/roles/roles.routes.ts";
import { serveRoutes } from "../nouns/routes/routes.routes.ts";
import { deleteRoutesOfOrganization } from "../nouns/routes/routes.service.ts";
import { serveDomains } from "../nouns/sso/domains.routes.ts";
import { createIdentityProviders, type IdentityProviders } from "../nouns/sso/identity-providers.ts";
import type { OutgoingEdges } from "../infrastructure/outgoing/pinned-connections.ts";
import { serveSso } from "../nouns/sso/sso.routes.ts";
import { resolveTxt, type ResolveTxt } from "../nouns/sso/txt-records.ts";
import { serveSupport } from "../features/support/support.routes.ts";
import { serveTags } from "../nouns/tags/tags.routes.ts";
import type { Worker } from "../infrastructure/scheduling/worker.ts";
import { createHttpServer } from "./http-server.ts";

export interface AppOptions {
  /** The built console; without it, only the API is served. */
  consoleDirectory?: string | undefined;
  /** Shown above every page of the console. */
  notice?: string | undefined;
  /** The built documentation; without it, only the API reference is served. */
  docsDirectory?: string | undefined;
  /** The built agents; without it, none are offered. */
  downloadsDirectory?: string | undefined;
  /** Check every response against the contract. */
  strict?: boolean;
  /** How long a poll waits if there is no update. */
  agentPollMs?: number | undefined;
  /** Replaces DNS and the time limit for requests to identity providers. */
  identityProviders?: OutgoingEdges | undefined;
  /** Replaces DNS and the time limit for requests to webhook receivers. */
  webhooks?: OutgoingEdges | undefined;
  /** Replaces DNS for the verification of domains. */
  resolveTxt?: ResolveTxt | undefined;
  importParser?: ImportParserOptions | undefined;
  hostCommands?: HostCommandClientOptions | undefined;
  events?: EventOptions | undefined;
}

export interface App {
  http: FastifyInstance;
  shutdown: Shutdown;
  outbox: Worker;
  /** Runs bulk changes. */
  jobs: Worker;
  /** Records which guarantees fail. */
  guaranteeMonitor: Worker;
  /** Finds what to notify people of. */
  notifier: Worker;
  /** Sends notifications. */
  deliveries: Worker;
  /** Synchronizes organizations with the payment provider. */
  billing: Worker;
  /** Records which hosts are online. */
  presence: Worker;
  control: Control;
  served: ReturnType<typeof createRoutes>["served"];
}

const API_PATH = /^\/v\d+(\/|$|\?)/;

export function createApp(ctx: Context, options: AppOptions = {}): App {
  const { http, shutdown } = createHttpServer(ctx);
  serveHealth(http, ctx, shutdown);
  serveVersion(http, ctx.version);
  serveOpenApi(http);
  serveDocs(http, options.docsDirectory);
  serveMailbox(http, ctx);
  serveInstallScript(http, ctx);

  const outbox = createOutbox(ctx, async (job) =>
    job.content ? plainMail(job.email, job.content) : composeMagicLink(ctx, job),
  );
  const jobs = createJobRunner(ctx);
  const { networks, previewWork } = createAccess(ctx);
  const guaranteeMonitor = createGuaranteeMonitor(ctx, networks);
  const { routes, served, dryRuns } = createRoutes(http, ctx, {
    admission: createAdmission(ctx),
    previewWork,
    strict: options.strict ?? false,
  });
  servePreview(routes, ctx, { dryRuns, previewWork });
  const wakeOutbox = () => outbox.wake();
  const providers = createIdentityProviders(ctx.config, options.identityProviders);
  const billing = serveAccounts(routes, ctx, { wakeOutbox, providers, options });
  const { notifier, deliveries } = serveNotifications(routes, ctx, options);
  serveNouns(routes, ctx, { jobs, networks, shutdown, options });
  serveDownloads(routes, http, ctx, options.downloadsDirectory);
  const { control, presence } = serveControlPlane(routes, ctx, { providers, shutdown, options });
  serveMetrics(http, ctx, control);
  rejectOtherMethods(http);
  serveConsole(http, ctx, options);
  http.addHook("onClose", async () => {
    await Promise.all([control.stop(), presence.stop()]);
  });
  return {
    http,
    shutdown,
    outbox,
    jobs,
    guaranteeMonitor,
    notifier,
    deliveries,
    billing,
    presence,
    control,
    served,
  };
}

/** Serves notification channels, rules and deliveries; the workers wake each other. */
function serveNotifications(routes: Routes, ctx: Context, { webhooks = {} }: AppOptions) {
  const deliveries = createDeliveryWorker(ctx, webhooks, () => notifier.wake());
  const notifier: Worker = createNotifier(ctx, () => deliveries.wake());
  serveNotificationChannels(routes, ctx, removeChannelFromRules);
  serveNotificationRules(routes, ctx);
  serveNotificationDeliveries(routes, ctx, () => deliveries.wake());
  return { notifier, deliveries };
}

interface AccountDependencies {
  wakeOutbox: () => void;
  providers: IdentityProviders;
  options: AppOptions;
}

/** Serves people, organizations and everything that they authenticate or pay with; returns the billing worker. */
function serveAccounts(
  routes: Routes,
  ctx: Context,
  { wakeOutbox, providers, options }: AccountDependencies,
): Worker {
  serveAuth(routes, ctx, wakeOutbox);
  serveInvitationLinks(routes, ctx);
  serveTotpAuthenticators(routes, ctx);
  serveRecoveryCodes(routes, ctx);
  serveSso(routes, ctx, providers);
  serveDomains(routes, ctx, options.resolveTxt ?? resolveTxt);
  serveOrganizations(routes, ctx, [deleteRoutesOfOrganization, deleteHostsOfOrganization]);
  serveMembers(routes, ctx, { wakeOutbox, revokeApiKeys: revokeApiKeysOf });
  serveInvitations(routes, ctx);
  serveSessions(routes, ctx);
  serveSupport(routes, ctx, wakeOutbox);
  serveApiKeys(routes, ctx);
  return serveBilling(routes, ctx);
}

interface NounDependencies {
  jobs: Worker;
  networks: LoadNetworks;
  shutdown: Shutdown;
  options: AppOptions;
}

/** Serves networks, hosts and what belongs to them, the audit log and the console's event stream. */
function serveNouns(
  routes: Routes,
  ctx: Context,
  { jobs, networks, shutdown, options }: NounDependencies,
): void {
  serveNetworks(routes, ctx);
  serveCertificateAuthorities(routes, ctx);
  serveCaRotations(routes, ctx);
  serveNetworkUpgrades(routes, ctx);
  serveGetStarted(routes, ctx);
  serveAttention(routes, ctx, listWaitingHosts);
  serveMap(routes, ctx);
  serveHosts(routes, ctx);
  serveHostCommands(routes, ctx, { shutdown: shutdown.signal, ...options.hostCommands });
  serveJobs(routes, ctx, () => jobs.wake());
  serveRoles(routes, ctx, detach);
  serveTags(routes, ctx, detach);
  serveRoutes(routes, ctx);
  serveAccessAnswers(routes, ctx, networks);
  serveGuarantees(routes, ctx, networks);
  serveImport(routes, ctx, options.importParser);
  serveAuditLogs(routes, ctx, shutdown.signal);
  serveEvents(routes, ctx, { shutdown: shutdown.signal, ...options.events });
  serveClientErrors(routes, ctx);
}

interface ControlDependencies {
  providers: IdentityProviders;
  shutdown: Shutdown;
  options: AppOptions;
}

/** Serves agents and devices. */
function serveControlPlane(
  routes: Routes,
  ctx: Context,
  { providers, shutdown, options }: ControlDependencies,
): { control: Control; presence: Worker } {
  const presence = createPresence(ctx);
  const findHost = createCallingHostFinder(ctx);
  const control = createControl(ctx, { findHost, pollMs: options.agentPollMs, shutdown: shutdown.signal });
  serveEnrollment(routes, ctx, control);
  serveHostState(routes, ctx.reader, control);
  serveAgents(routes, ctx, { control, presence, findHost, shutdown: shutdown.signal });
  serveEndpointAuth(routes, ctx, providers);
  serveDeviceRequests(routes, ctx);
  return { control, presence: presence.worker };
}

/** The console routes every path that is neither an endpoint nor a file. */
function serveConsole(http: FastifyInstance, ctx: Context, options: AppOptions): void {
  const { consoleDirectory: directory, notice } = options;
  const sendConsole = createConsole(ctx, { directory, notice });
  http.setNotFoundHandler((request, reply) => {
    const response = API_PATH.test(request.url) ? undefined : sendConsole(request, reply);
    return response ?? sendApiError(reply, new ApiError("ERR_NOT_FOUND"));
  });
}
