/** A database with rows in every table, filled through the API. Only what no request leaves behind is inserted. */
import { randomBytes } from "node:crypto";
import {
  bulkHosts,
  createApiKey,
  createTotpAuthenticator,
  inviteMember,
  listHostsV2,
  listMembers,
  listNetworksV2,
  planImport,
  receiveBillingEvent,
  rotateApiKey,
  rotateCa,
  sendMagicLink,
  startCheckout,
} from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { nounDescriptors } from "../../infrastructure/nouns/noun-descriptors.ts";
import { createTestDatabase } from "../database.ts";
import { createTestDns } from "../dns.ts";
import { joinAs } from "../members.ts";
import { startProvider } from "../oidc-provider.ts";
import { prepare, send } from "../requests.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { STRIPE_ENVIRONMENT } from "../stripe/environment.ts";
import { type FakeStripe, startFakeStripe } from "../stripe/fake-stripe.ts";
import { subscriptionObject } from "../stripe/objects.ts";
import { signEvent } from "../stripe/sign-event.ts";
import { DUMP_SECRET_KEY, type DumpFacts } from "./dump-files.ts";
import { fillFleet } from "./filled-fleet.ts";
import { fillNotifications } from "./filled-notifications.ts";
import { DOMAINS, fillSingleSignOn } from "./filled-single-sign-on.ts";

type Facts = Omit<DumpFacts, "counts">;

const OWNER_EMAIL = "owner@harborline.example";
const UNREACHABLE_EMAIL = "unreachable@harborline.example";

async function payForPlan(server: TestServer, { call }: Session, stripe: FakeStripe): Promise<void> {
  const { url } = await call(startCheckout);
  const session = stripe.sessions.get(url.split("/").at(-1) ?? "");
  if (!session) throw new Error(`The checkout led to ${url}`);
  const subscription = { ...subscriptionObject(stripe.pay(session)), customer: session.customer };
  const { payload, signature } = signEvent("customer.subscription.created", subscription);
  await fetch(new URL(receiveBillingEvent.path, server.url), {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body: payload,
  });
}

/** Returns a key whose previous token is still valid. */
async function createRotatedKey({ call }: Session): Promise<{ token: string }> {
  const scopes = ["networks:list" as const, "roles:list" as const, "hosts:list" as const];
  const { id } = await call(createApiKey, { body: { name: "deploy", scopes } });
  return call(rotateApiKey, { params: { apiKeyID: id }, body: { overlapSeconds: 3600 } });
}

async function addMembers(server: TestServer, owner: Session): Promise<void> {
  const auditor = await joinAs(server, owner, "auditor");
  await server.client()(sendMagicLink, { body: { email: auditor.email } });
  await owner.call(inviteMember, { body: { email: UNREACHABLE_EMAIL, role: "administrator" } });
  await server.app.outbox.drain();
}

/** Requests whose second step never comes. */
async function startUnfinishedWork(server: TestServer, { call }: Session, networkID: string): Promise<void> {
  await call(createTotpAuthenticator, { body: { name: "Tablet" } });
  await call(planImport, { body: { format: "yaml", content: "roles: [{ name: Imported }]" } });
  await call(rotateCa, { params: { networkID }, body: {} });
  await server.app.jobs.stop();
  await call(bulkHosts, {
    body: { filter: { search: "waiting" }, action: "addTags", tags: ["site:sea"] },
  });
}

/** Rows that only an operator, a killed server or a server without accounts has. */
async function insertLeftovers({ query, ctx }: TestServer, { organizationID }: Session, hostID: string) {
  await query("insert into feature_flags (organization_id, name, value) values ($1, 'sample', 'true')", [
    organizationID,
  ]);
  await query("insert into setup_codes (id, code_hash, created_at) values (true, sha256('code'), $1)", [
    ctx.clock(),
  ]);
  const [token, action] = [randomBytes(24).toString("base64url"), { command: "StreamLogs", args: {} }];
  await query(
    `insert into host_commands (token, organization_id, host_id, action, state, created_at)
      values ($1, $2, $3, $4, 'streaming', $5)`,
    [token, organizationID, hostID, JSON.stringify(action), ctx.clock()],
  );
  await query("insert into host_command_chunks (token, sequence, bytes) values ($1, 0, 'line')", [token]);
}

/** Sends the sample request for every noun whose table nothing else has filled. */
async function createMissingObjects(server: TestServer, owner: Session): Promise<void> {
  for (const [noun, { tables }] of Object.entries(nounDescriptors)) {
    const creation = [...endpoints].find(
      ([, { method, path }]) => method === "POST" && path === `/v1/${noun}`,
    );
    if (!creation || (await hasRows(server, tables[0]))) continue;
    const [name] = creation;
    await send(server, name, await prepare(name, server, owner), [owner.userToken, owner.authToken]);
  }
}

async function hasRows({ query }: TestServer, table: string | undefined): Promise<boolean> {
  return table === undefined || (await query(`select 1 as found from ${table} limit 1`)).length > 0;
}

async function fillDatabase(server: TestServer, services: Services): Promise<Facts> {
  const owner = await server.signUp(OWNER_EMAIL);
  await payForPlan(server, owner, services.stripe);
  const apiKey = await createRotatedKey(owner);
  const { emptyNetworkID, ...fleet } = await fillFleet(server, owner);
  await fillNotifications(server, owner);
  await addMembers(server, owner);
  const ssoToken = await fillSingleSignOn({ server, owner, ...services }, fleet.networkID);
  await startUnfinishedWork(server, owner, emptyNetworkID);
  await insertLeftovers(server, owner, fleet.hostID);
  await createMissingObjects(server, owner);
  const { data: networks } = await owner.call(listNetworksV2);
  const { data: hosts } = await owner.call(listHostsV2);
  const { data: members } = await owner.call(listMembers);
  await server.app.presence.drain();
  while ((await server.ctx.seal()) > 0);
  const { organizationID, email, userToken, authToken } = owner;
  return {
    at: server.ctx.clock().toISOString(),
    organizationID,
    email,
    userToken,
    authToken,
    apiKey,
    ssoToken,
    domains: DOMAINS,
    ...fleet,
    networkNames: networks.map((network) => network.name).sort(),
    hostNames: hosts.map((host) => host.name).sort(),
    memberEmails: members.map((member) => member.email).sort(),
  };
}

async function startServices() {
  const dns = createTestDns();
  const provider = await startProvider();
  const stripe = await startFakeStripe();
  return { dns, provider, stripe, close: () => Promise.all([provider.close(), stripe.close()]) };
}
type Services = Omit<Awaited<ReturnType<typeof startServices>>, "close">;

/** Passes the URL of the database after its server has stopped. */
export async function withFilledDatabase(work: (url: string, facts: Facts) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const { close, ...services } = await startServices();
  const server: TestServer = await startTestServer({
    database,
    environment: {
      ...STRIPE_ENVIRONMENT,
      STRIPE_API_BASE: services.stripe.url,
      SECRET_KEY: DUMP_SECRET_KEY,
      OIDC_ALLOWED_HOSTS: "127.0.0.1",
    },
    resolveTxt: services.dns.resolveTxt,
    agentPollMs: 50,
    mailer: {
      send: async (message) => {
        if (message.to === UNREACHABLE_EMAIL) throw new Error("This mailbox is unavailable");
        server.mails.push(message);
      },
    },
  });
  try {
    const facts = await fillDatabase(server, services);
    await server.close();
    await work(database.url, facts);
  } finally {
    await close();
    await database.drop();
  }
}
