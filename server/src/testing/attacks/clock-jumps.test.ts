/** A clock that is temporarily two hours off locks no user out and shows no time in the future. */
import {
  createApiKey,
  createEnrollmentCode,
  getHostV2,
  listNetworks,
  listSessions,
  logInWithTotp,
  whoami,
} from "@lightkeeper/contract";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPresenceSweep } from "../../features/agents/presence.service.ts";
import { sweepPresence } from "../../nouns/hosts/host-presence.service.ts";
import { deleteExpired } from "../../app/background.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { rawRequest } from "../raw-request.ts";
import { errorCodesOf } from "../request-errors.ts";
import { HOUR_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../server.ts";
import { TestAgent } from "../test-agent.ts";
import { logInByLink } from "../logins.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let offset: number;

beforeEach(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  offset = 0;
});
afterEach(() => server.close());

const jump = (ms: number) => {
  offset += ms;
  server.advance(ms);
};
const jumps = [
  ["ahead and back", 2 * HOUR_MS],
  ["back and ahead", -2 * HOUR_MS],
] as const;

/** Calls like an agent, which gets the server's time from the response to its first message. */
async function call(agent: TestAgent, type = "CheckForUpdate") {
  const first = await agent.send(type);
  if (first.status !== 400) return first;
  const { headers } = await rawRequest(`${server.url}/healthz`);
  agent.skewMs = Date.parse(headers.date!) - Date.now();
  return agent.send(type);
}

const metadataOf = async (hostID: string) => (await owner.call(getHostV2, { params: { hostID } })).metadata;

/** Checks everything that users and hosts do. */
async function expectEverythingToWork(agent: TestAgent, hostID: string): Promise<void> {
  await owner.call(listNetworks);
  // After 30 seconds, an authenticator shows another code.
  server.advance(MINUTE_MS);
  const sessionToken = await logInByLink(server, owner.email);
  const withoutSecondFactor = server.client(sessionToken);
  const code = server.code(owner.totpSecret);
  const { authToken } = await withoutSecondFactor(logInWithTotp, { body: { code } });
  expect((await server.client(sessionToken, authToken)(whoami)).actor).toMatchObject({ email: owner.email });
  expect(await errorCodesOf(withoutSecondFactor(logInWithTotp, { body: { code } }))).toEqual([
    "ERR_INVALID_TOTP_CODE",
  ]);

  expect((await call(agent)).status).toBe(200);
  await server.app.presence.drain();
  const { lastSeenAt, statuses } = await metadataOf(hostID);
  const age = server.ctx.clock().getTime() - Date.parse(lastSeenAt!);
  expect(age).toBeGreaterThanOrEqual(0);
  expect(age).toBeLessThan(2 * MINUTE_MS);
  expect(statuses).toContain("online");
  const [stored] = await server.query<{ last_seen_at: Date }>(
    "select last_seen_at from host_presence where host_id = $1",
    [hostID],
  );
  expect(stored!.last_seen_at.getTime()).toBeLessThanOrEqual(server.ctx.clock().getTime());

  const added = await fleet.add();
  const { code: enrollmentCode } = await owner.call(createEnrollmentCode, { params: { hostID: added.id } });
  await TestAgent.enroll(server.url, enrollmentCode);
  for (const { lastUsedAt } of await owner.call(listSessions))
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(server.ctx.clock().getTime());
}

describe.each(jumps)("a clock that jumps two hours %s", (_name, ms) => {
  it("doesn't affect users, hosts, enrollment or email", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    await expectEverythingToWork(agent, host.id);
    jump(ms);
    await expectEverythingToWork(agent, host.id);
    await deleteExpired(server.ctx);
    jump(-ms);
    await expectEverythingToWork(agent, host.id);
  });
});

describe("after its clock was set back, the server", () => {
  it("accepts every code once, including those used before the clock was ahead", async () => {
    const withoutSecondFactor = server.client(owner.userToken);
    const logInWith = (code: string) => withoutSecondFactor(logInWithTotp, { body: { code } });
    server.advance(MINUTE_MS);
    const early = server.code(owner.totpSecret);
    await logInWith(early);
    jump(2 * HOUR_MS);
    await logInWith(server.code(owner.totpSecret));
    jump(-2 * HOUR_MS);
    expect(await errorCodesOf(logInWith(early))).toEqual(["ERR_INVALID_TOTP_CODE"]);
    const next = server.code(owner.totpSecret, 1);
    await logInWith(next);
    expect(await errorCodesOf(logInWith(next))).toEqual(["ERR_INVALID_TOTP_CODE"]);
    expect(await errorCodesOf(logInWith(early))).toEqual(["ERR_INVALID_TOTP_CODE"]);
  });

  it("sends email that was queued while the clock was ahead", async () => {
    jump(2 * HOUR_MS);
    const content = { subject: "Queued", lines: ["While the clock was ahead"] };
    await queueMail(server.ctx.unaudited, {
      kind: "notice",
      email: owner.email,
      content,
      now: server.ctx.clock(),
    });
    jump(-2 * HOUR_MS);
    await server.app.outbox.drain();
    expect(server.mails.at(-1)).toMatchObject({ to: owner.email, subject: "Queued" });
  });

  it("shows a host last seen while the clock was ahead as seen now, and as offline if it doesn't return", async () => {
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    jump(2 * HOUR_MS);
    expect((await call(agent)).status).toBe(200);
    await server.app.presence.drain();
    jump(-2 * HOUR_MS);
    expect(Date.parse((await metadataOf(host.id)).lastSeenAt!)).toBeLessThanOrEqual(
      server.ctx.clock().getTime(),
    );
    const sweep = createPresenceSweep(server.ctx);
    await sweep();
    expect((await metadataOf(host.id)).statuses).toContain("online");
    server.advance(2 * MINUTE_MS);
    expect(await sweepPresence(server.ctx)).toBe(1);
    expect((await metadataOf(host.id)).statuses).not.toContain("online");
  });

  it("renews a certificate that was issued while the clock was ahead and is not valid yet", async () => {
    jump(2 * HOUR_MS);
    const host = await fleet.add();
    const agent = await TestAgent.enrollHost(server.url, owner, host.id);
    await call(agent);
    expect(await agent.hasUpdate()).toBe(false);
    jump(-2 * HOUR_MS);
    await server.query("update certificate_authorities set not_before = $1", [
      new Date(server.ctx.clock().getTime() - HOUR_MS),
    ]);
    await server.query("update networks set revision = revision + 1");
    agent.skewMs = 0;
    expect(await agent.hasUpdate()).toBe(true);
    await agent.update("DoUpdate");
    expect(await agent.hasUpdate()).toBe(false);
  });

  it("records the use of an API key with the current time", async () => {
    const body = { name: "Key", scopes: ["networks:list" as const] };
    const { token, id } = await owner.call(createApiKey, { body });
    jump(2 * HOUR_MS);
    await server.client(token)(listNetworks);
    jump(-2 * HOUR_MS);
    await server.client(token)(listNetworks);
    const [row] = await server.query<{ last_used_at: Date }>(
      "select last_used_at from api_keys where id = $1",
      [id],
    );
    expect(row!.last_used_at.getTime()).toBeLessThanOrEqual(server.ctx.clock().getTime());
  });
});

it("hosts that report in time stay online when the clock is set two hours ahead", async () => {
  const host = await fleet.add();
  const agent = await TestAgent.enrollHost(server.url, owner, host.id);
  await call(agent);
  await server.app.presence.drain();
  const sweep = createPresenceSweep(server.ctx);
  await sweep();
  jump(2 * HOUR_MS);
  await sweep();
  expect((await metadataOf(host.id)).statuses).toContain("online");
});

it("responses to agents have the time that the server checks messages against", async () => {
  jump(2 * HOUR_MS);
  const { headers } = await rawRequest(`${server.url}/healthz`);
  expect(Math.abs(Date.parse(headers.date!) - server.ctx.clock().getTime())).toBeLessThan(30_000);
});
