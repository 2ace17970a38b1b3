/** Device enrollment by single sign-on: verified domains, a code to compare, a notice, and approval. */
import {
  addDomain,
  approveDeviceRequest,
  getEndpointSignIn,
  getHostV2,
  listAuditLogs,
  listDeviceRequests,
  listDomains,
  listHostsV2,
  listMembers,
  pollEndpointAuth,
  readmitMember,
  rejectDeviceRequest,
  removeDomain,
  removeMember,
  startEndpointAuth,
  startEndpointSignIn,
  startOidc,
  updateOidcProvider,
  verifyDomain,
  verifyEndpointSignIn,
  verifyOidc,
} from "@lightkeeper/contract";
import { SignedReply } from "@lightkeeper/contract/agent";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tidy } from "../../app/background.ts";
import { createTestDns } from "../dns.ts";
import { readEvents } from "../events.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { type ProviderPerson, startProvider, type TestProvider } from "../oidc-provider.ts";
import { limitKey } from "../../infrastructure/http/rate-limit.ts";
import { outcomeOf, refusal, refusalCodes } from "../refusal.ts";
import { insertSsoUser } from "../sso-users.ts";
import { HOUR_MS, MINUTE_MS, renew, type Session, startTestServer, type TestServer } from "../server.ts";
import { enrollBody, post, TestAgent } from "../test-agent.ts";

const dns = createTestDns();
const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
const environment = { OIDC_ALLOWED_HOSTS: "127.0.0.1", SECRET_KEY };
let server: TestServer;
let provider: TestProvider;
let owner: Session;
let fleet: Fleet;
let domain: string;
let made = 0;
beforeAll(async () => {
  server = await startTestServer({ environment, resolveTxt: dns.resolveTxt, agentHoldMs: 50 });
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
  await server.close();
});
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  domain = `company${++made}.example`;
  await configure();
});
afterEach(() => (dns.failure = undefined));

interface Configuration {
  endpoint?: object;
  allowedDomains?: string[];
}

const configure = ({ endpoint = {}, ...change }: Configuration = {}, session = owner, own = fleet) => {
  const { issuerURL, clientID, clientSecret } = provider;
  const body = {
    issuerURL,
    clientID,
    clientSecret,
    allowedDomains: [domain],
    defaultRole: "administrator" as const,
    endpoint: { networkID: own.networkID, ...endpoint },
    ...change,
  };
  return session.call(updateOidcProvider, { body });
};
const requireApproval = () => configure({ endpoint: { requiresApproval: true } });
const ada = (change: Partial<ProviderPerson> = {}): ProviderPerson => ({
  sub: "ada",
  email: `ada@${domain}`,
  email_verified: true,
  ...change,
});
const anybody = () => server.client();
const preauth = async () => {
  const { pollToken, loginURL, verificationCode } = await anybody()(startEndpointAuth);
  const loginToken = new URL(loginURL).searchParams.get("loginToken") ?? "";
  return { pollToken, loginToken, loginURL, verificationCode };
};
const poll = (pollToken: string) => anybody()(pollEndpointAuth, { query: { pollToken } });
const start = (loginToken: string, organization: string) =>
  anybody()(startEndpointSignIn, { body: { loginToken, organization } });
const signIn = async (loginToken: string, person = ada()) => {
  const { oidcRequestToken, redirectURL } = await start(loginToken, owner.organizationID);
  const location = await provider.signIn(redirectURL, person);
  return anybody()(verifyEndpointSignIn, { body: { oidcRequestToken, location } });
};
const enroll = (code: string) => post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(code)));
const requests = (session = owner) => session.call(listDeviceRequests);
const onlyRequest = async () => {
  const [request, ...others] = await requests();
  if (!request || others.length > 0) throw new Error(`${others.length} requests too many`);
  return request;
};
const approve = (id: string, session = owner) =>
  session.call(approveDeviceRequest, { params: { deviceRequestID: id } });
const reject = (id: string, session = owner) =>
  session.call(rejectDeviceRequest, { params: { deviceRequestID: id } });
const eventsOf = async (targetID: string) =>
  (await owner.call(listAuditLogs, { query: { "filter.targetID": targetID } })).data.map(
    ({ actor, event }) => `${actor.type} ${event.type}`,
  );

describe("a domain", () => {
  const NOT_ROUTED = [{ code: "ERR_INVALID_VALUE", path: "organization" }];

  it("routes devices only once it is verified, while the organization ID always works", async () => {
    const { loginToken } = await preauth();
    await start(loginToken, owner.organizationID);
    expect(await refusal(start(loginToken, `ada@${domain}`))).toMatchObject(NOT_ROUTED);
    const added = await owner.call(addDomain, { body: { domain } });
    expect(added).toMatchObject({
      state: "pending",
      record: { type: "TXT", name: `_lightkeeper.${domain}` },
    });
    expect(added.record?.value).toMatch(/^lightkeeper-verification=[\w-]{43}$/);
    expect(await refusal(start(loginToken, domain))).toMatchObject(NOT_ROUTED);
    expect(await refusalCodes(owner.call(verifyDomain, { params: { domain } }))).toEqual([
      "ERR_DOMAIN_RECORD_NOT_FOUND",
    ]);
    dns.publish(added);
    expect(await owner.call(verifyDomain, { params: { domain } })).toMatchObject({ state: "verified" });
    await start(loginToken, `Ada@${domain.toUpperCase()}`);
    await start(loginToken, domain);
    expect(await refusal(start(loginToken, `sub.${domain}`))).toMatchObject(NOT_ROUTED);

    await owner.call(removeDomain, { params: { domain } });
    expect(await refusal(start(loginToken, domain))).toMatchObject(NOT_ROUTED);
    expect(await eventsOf(domain)).toEqual(["user DELETED", "user UPDATED", "user CREATED"]);
  });

  it("leads people to their organization's single sign-on only once it is verified", async () => {
    const startAt = (orgID: string) => anybody()(startOidc, { params: { orgID } });
    expect(await refusal(startAt(domain))).toMatchObject(NOT_ROUTED);
    await dns.verify(owner, domain);
    for (const named of [domain, `Ada@${domain.toUpperCase()}`, owner.organizationID])
      expect((await startAt(named)).organizationID).toBe(owner.organizationID);
    expect(await refusal(startAt("elsewhere.example"))).toMatchObject(NOT_ROUTED);
  });

  it("cannot be claimed with allowed domains alone, whichever organization sets them", async () => {
    const attacker = await server.signUp();
    await configure({ allowedDomains: [domain] }, attacker, await createFleet(server, attacker));
    const { loginToken } = await preauth();
    expect(await refusal(start(loginToken, domain))).toMatchObject(NOT_ROUTED);
    await dns.verify(owner, domain);
    const { redirectURL, oidcRequestToken } = await start(loginToken, domain);
    const location = await provider.signIn(redirectURL, ada());
    await anybody()(verifyEndpointSignIn, { body: { oidcRequestToken, location } });
    expect((await attacker.call(listHostsV2)).data).toEqual([]);
    expect((await owner.call(listHostsV2)).data).toHaveLength(1);
  });

  it("belongs to one organization: of two that verify it at the same time, exactly one succeeds", async () => {
    const other = await server.signUp();
    for (const session of [owner, other]) dns.publish(await session.call(addDomain, { body: { domain } }));
    const outcomes = await Promise.all(
      [owner, other].map((session) => outcomeOf(session.call(verifyDomain, { params: { domain } }))),
    );
    expect(outcomes.sort()).toEqual(["ERR_DOMAIN_TAKEN", "done"]);
    const states = await Promise.all([owner, other].map((session) => session.call(listDomains)));
    expect(
      states
        .flat()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(["pending", "verified"]);
    const [verified, pending] = states[0]?.[0]?.state === "verified" ? [owner, other] : [other, owner];
    await verified.call(removeDomain, { params: { domain } });
    await pending.call(verifyDomain, { params: { domain } });
  });

  it("is verified once however often its owner asks at the same time", async () => {
    dns.publish(await owner.call(addDomain, { body: { domain } }));
    const calls = [1, 2, 3].map(() => outcomeOf(owner.call(verifyDomain, { params: { domain } })));
    expect(await Promise.all(calls)).toEqual(["done", "done", "done"]);
    expect(await eventsOf(domain)).toEqual(["user UPDATED", "user CREATED"]);
  });

  it("of another organization is not disclosed to anyone who cannot publish its record", async () => {
    await dns.verify(owner, domain);
    const other = await server.signUp();
    expect(await other.call(addDomain, { body: { domain } })).toMatchObject({ state: "pending" });
    expect(await refusalCodes(other.call(verifyDomain, { params: { domain } }))).toEqual([
      "ERR_DOMAIN_RECORD_NOT_FOUND",
    ]);
  });

  it("is not verified with another organization's record, nor when DNS fails", async () => {
    const other = await server.signUp();
    dns.publish(await other.call(addDomain, { body: { domain } }));
    await owner.call(addDomain, { body: { domain } });
    expect(await refusalCodes(owner.call(verifyDomain, { params: { domain } }))).toEqual([
      "ERR_DOMAIN_RECORD_NOT_FOUND",
    ]);
    dns.failure = "ESERVFAIL";
    expect(await refusal(other.call(verifyDomain, { params: { domain } }))).toEqual([
      {
        code: "ERR_DNS_LOOKUP_FAILED",
        message: `the DNS lookup of _lightkeeper.${domain} failed (ESERVFAIL)`,
      },
    ]);
    dns.failure = undefined;
    await other.call(verifyDomain, { params: { domain } });
  });

  it("is refused when it is no domain, listed already, or one too many", async () => {
    for (const wrong of ["example", "exa mple.com", "-a.com", "a..com", "*.com", "a@b.com", "ü.example"])
      expect(await refusal(owner.call(addDomain, { body: { domain: wrong } }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "domain" },
      ]);
    await owner.call(addDomain, { body: { domain: ` ${domain.toUpperCase()} ` } });
    expect(await refusalCodes(owner.call(addDomain, { body: { domain } }))).toEqual(["ERR_DUPLICATE_VALUE"]);
    await server.query(
      `insert into organization_domains (organization_id, domain, token, created_at)
        select $1, n || '.' || $2, 'token', now() from generate_series(1, 49) n`,
      [owner.organizationID, domain],
    );
    expect(await refusal(owner.call(addDomain, { body: { domain: `more.${domain}` } }))).toMatchObject([
      { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 50 } },
    ]);
  });

  it("is changed only by an owner with a recent second factor", async () => {
    await owner.call(addDomain, { body: { domain } });
    const sso = server.client(await insertSsoUser(server, owner));
    expect(await sso(listDomains)).toHaveLength(1);
    const attempts = (call: Session["call"]) => [
      () => call(addDomain, { body: { domain: `other.${domain}` } }),
      () => call(verifyDomain, { params: { domain } }),
      () => call(removeDomain, { params: { domain } }),
    ];
    for (const attempt of attempts(sso)) expect(await refusalCodes(attempt())).toEqual(["ERR_FORBIDDEN"]);
    const stranger = await server.signUp();
    for (const attempt of attempts(stranger.call).slice(1))
      expect(await refusalCodes(attempt())).toEqual(["ERR_NOT_FOUND"]);
    server.advance(HOUR_MS + 1000);
    for (const attempt of attempts(owner.call))
      expect(await refusalCodes(attempt())).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
  });

  it("can be assigned by the server's configuration, which comes before DNS", async () => {
    const other = await server.signUp();
    await dns.verify(other, domain);
    const pairs = `${domain}=${owner.organizationID}, corp.local=${owner.organizationID}`;
    const configured = await startTestServer({
      environment: { ...environment, TRUSTED_DOMAINS: pairs },
      database: server.database,
      resolveTxt: dns.resolveTxt,
    });
    try {
      const call = configured.client(owner.userToken, owner.authToken);
      expect((await call(listDomains)).map((one) => [one.domain, one.state, one.record])).toEqual([
        [domain, "verified", null],
        ["corp.local", "verified", null],
      ]);
      const theirs = configured.client(other.userToken, other.authToken);
      expect(await theirs(listDomains)).toMatchObject([{ domain, state: "takenElsewhere" }]);
      const { loginToken } = await preauth();
      for (const organization of [domain, "ada@Corp.Local"]) {
        const { redirectURL } = await configured.client()(startEndpointSignIn, {
          body: { loginToken, organization },
        });
        expect(redirectURL.startsWith(provider.issuerURL)).toBe(true);
      }
      await theirs(removeDomain, { params: { domain } });
      dns.publish(await theirs(addDomain, { body: { domain } }));
      expect(await refusalCodes(theirs(verifyDomain, { params: { domain } }))).toEqual(["ERR_DOMAIN_TAKEN"]);
    } finally {
      await configured.close();
    }
  });
});

describe("the verification code", () => {
  it("is the same on the device, in the login URL and on the page, and another one for each request", async () => {
    const first = await preauth();
    const second = await preauth();
    expect(first.verificationCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(first.verificationCode).not.toBe(second.verificationCode);
    for (const { loginURL, loginToken, verificationCode } of [first, second]) {
      expect(new URL(loginURL).searchParams.get("code")).toBe(verificationCode);
      const shown = await anybody()(getEndpointSignIn, { query: { loginToken } });
      expect(shown.verificationCode).toBe(verificationCode);
    }
  });

  it("is shown for a device that signs in again", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    const agent = await TestAgent.enroll(server.url, (await poll(pollToken)).enrollmentCode);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    const { data } = await agent.send("Reauthenticate", {});
    const reply = agent.verifyReply(SignedReply.parse(data)).toString("utf8");
    const { searchParams } = new URL((JSON.parse(reply) as { loginURL: string }).loginURL);
    const query = { loginToken: searchParams.get("loginToken") ?? "" };
    const shown = await anybody()(getEndpointSignIn, { query });
    expect(shown).toMatchObject({ device: { name: "ada-1" }, verificationCode: searchParams.get("code") });
  });
});

describe("the person", () => {
  const noticesFor = async (email: string) => {
    await server.app.outbox.drain();
    return server.mails.filter(({ to, subject }) => to === email && subject.includes("enrolled"));
  };

  it("is told by email when a device enrolls in their name, and only then", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    expect(await noticesFor(`ada@${domain}`)).toEqual([]);
    expect((await enroll((await poll(pollToken)).enrollmentCode)).status).toBe(200);
    const [notice, ...others] = await noticesFor(`ada@${domain}`);
    expect(others).toEqual([]);
    expect(notice?.subject).toBe("The device ada-1 was enrolled in your name");
    expect(notice?.text).toContain("joined the network of example.com");
    expect(notice?.text).toContain("IP address: 127.0.0.1");
    expect(notice?.text).toMatch(/Time: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/);
    expect(notice?.text).toContain("block the host ada-1");
  });

  it("is not told of hosts that belong to nobody", async () => {
    const host = await fleet.add();
    await server.app.outbox.drain();
    const before = server.mails.length;
    await TestAgent.enrollHost(server.url, owner, host.id);
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(before);
  });
});

describe("a device of an organization that requires approval", () => {
  const waiting = async (person = ada()) => {
    const device = await preauth();
    const answer = await signIn(device.loginToken, person);
    return { ...device, answer };
  };

  it("waits until an administrator approves it, and only then gets a host and a code", async () => {
    await requireApproval();
    const events = await readEvents(server, owner);
    const { pollToken, loginToken, verificationCode, answer } = await waiting();
    expect(answer).toMatchObject({ state: "pendingApproval", email: `ada@${domain}` });
    expect(await poll(pollToken)).toEqual({ state: "WAITING", enrollmentCode: "" });
    expect((await owner.call(listHostsV2)).data).toEqual([]);
    const request = await onlyRequest();
    expect(request).toMatchObject({ email: `ada@${domain}`, verificationCode, address: "127.0.0.1" });
    expect(await anybody()(getEndpointSignIn, { query: { loginToken } })).toMatchObject({
      state: "pendingApproval",
    });
    expect(await refusal(start(loginToken, owner.organizationID))).toMatchObject([{ path: "loginToken" }]);

    const administrator = server.client(await insertSsoUser(server, owner));
    const params = { deviceRequestID: request.id };
    const { hostID, name } = await administrator(approveDeviceRequest, { params });
    const { state, enrollmentCode } = await poll(pollToken);
    expect(state).toBe("COMPLETED");
    const enrolled = await enroll(enrollmentCode);
    expect(enrolled.data).toMatchObject({ hostID, endpointOIDC: { email: `ada@${domain}` } });
    const host = await owner.call(getHostV2, { params: { hostID } });
    expect(host).toMatchObject({ name, networkID: fleet.networkID });
    expect(await requests()).toEqual([]);
    expect(await eventsOf(request.id)).toEqual(
      expect.arrayContaining(["oidcUser UPDATED", "oidcUser CREATED", "oidcUser SUCCEEDED_AUTH"]),
    );
    await expect
      .poll(() => events.changes.filter(({ noun }) => noun === "device-requests").length)
      .toBeGreaterThanOrEqual(2);
    events.close();
  });

  it("gets a terminal answer when it is rejected, and cannot be approved afterwards", async () => {
    await requireApproval();
    const { pollToken, loginToken } = await waiting();
    const { id } = await onlyRequest();
    await reject(id);
    expect(await refusal(poll(pollToken))).toEqual([
      { code: "ERR_INVALID_VALUE", path: "pollToken", message: "an administrator rejected the device" },
    ]);
    expect(await anybody()(getEndpointSignIn, { query: { loginToken } })).toMatchObject({
      state: "rejected",
    });
    expect(await refusalCodes(approve(id))).toEqual(["ERR_NOT_FOUND"]);
    expect(await refusalCodes(reject(id))).toEqual(["ERR_NOT_FOUND"]);
    expect(await refusal(start(loginToken, owner.organizationID))).toMatchObject([{ path: "loginToken" }]);
    expect((await owner.call(listHostsV2)).data).toEqual([]);
    expect((await eventsOf(id))[0]).toBe("user DELETED");
  });

  it("is approved or rejected exactly once, whoever decides at the same time", async () => {
    await requireApproval();
    await waiting();
    const { id } = await onlyRequest();
    const outcomes = await Promise.all([
      outcomeOf(approve(id)),
      outcomeOf(approve(id)),
      outcomeOf(reject(id)),
    ]);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect((await owner.call(listHostsV2)).data.length).toBeLessThanOrEqual(1);
  });

  it("waits for a day and no longer", async () => {
    await requireApproval();
    const { pollToken } = await waiting();
    const { id } = await onlyRequest();
    server.advance(23 * HOUR_MS);
    await tidy(server.ctx);
    expect(await poll(pollToken)).toMatchObject({ state: "WAITING" });
    server.advance(HOUR_MS + MINUTE_MS);
    owner = await renew(server, owner);
    expect(await refusal(poll(pollToken))).toMatchObject([{ path: "pollToken" }]);
    expect(await requests()).toEqual([]);
    expect(await refusalCodes(approve(id))).toEqual(["ERR_NOT_FOUND"]);
    await tidy(server.ctx);
    const rows = await server.query("select id from device_requests where id = $1", [id]);
    expect(rows).toEqual([]);
  });

  it("is one of five for a person and of a hundred for the organization", async () => {
    await requireApproval();
    for (let n = 0; n < 5; n++) await waiting();
    expect(await refusal(waiting())).toMatchObject([{ code: "ERR_LIMIT_EXCEEDED", extra: { limit: 5 } }]);
    await waiting(ada({ sub: "grace", email: `grace@${domain}` }));
    await server.query(
      `with filled as (
        insert into endpoint_auth_requests (poll_token_hash, login_token_hash, state, expires_at)
          select sha256(('poll' || $1 || n)::bytea), sha256(('login' || $1 || n)::bytea), 'PENDING_APPROVAL', $2
          from generate_series(1, 94) n returning poll_token_hash
      )
      insert into device_requests (id, organization_id, poll_token_hash, issuer, subject, email, address, created_at,
          expires_at)
        select 'filled' || encode(poll_token_hash, 'hex'), $1, poll_token_hash, 'issuer', 'subject', 'a@b.example',
          '192.0.2.1', now(), $2 from filled`,
      [owner.organizationID, new Date(server.ctx.clock().getTime() + HOUR_MS)],
    );
    expect(await refusal(waiting(ada({ sub: "eve", email: `eve@${domain}` })))).toMatchObject([
      { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 100 } },
    ]);
  });

  it("is requested at most 200 times in 15 minutes for an organization, whoever asks", async () => {
    await requireApproval();
    await waiting();
    const limit = { name: "device-request:organization", subject: owner.organizationID };
    const filled = await server.query(
      `update rate_limits set hits = array_fill(hits[1], array[200]) where key = $1 returning key`,
      [limitKey(limit)],
    );
    expect(filled).toHaveLength(1);
    expect(await refusalCodes(waiting(ada({ sub: "grace", email: `grace@${domain}` })))).toEqual([
      "ERR_TOO_MANY_REQUESTS",
    ]);
  });

  it("is decided by its own organization's administrators, not by auditors or strangers", async () => {
    await requireApproval();
    await waiting();
    const { id } = await onlyRequest();
    const params = { deviceRequestID: id };
    const auditor = server.client(await insertSsoUser(server, owner, "auditor"));
    expect(await auditor(listDeviceRequests)).toHaveLength(1);
    const stranger = await server.signUp();
    expect(await requests(stranger)).toEqual([]);
    for (const call of [approveDeviceRequest, rejectDeviceRequest]) {
      expect(await refusalCodes(auditor(call, { params }))).toEqual(["ERR_FORBIDDEN"]);
      expect(await refusalCodes(stranger.call(call, { params }))).toEqual(["ERR_NOT_FOUND"]);
    }
  });

  it("is withdrawn when the rules for signing in change", async () => {
    await requireApproval();
    const { pollToken } = await waiting();
    await configure({ allowedDomains: ["other.example"], endpoint: { requiresApproval: true } });
    expect(await requests()).toEqual([]);
    expect(await refusal(poll(pollToken))).toMatchObject([{ path: "pollToken" }]);
  });

  it("is not needed to sign in again on a device that was approved", async () => {
    await requireApproval();
    const { pollToken } = await waiting();
    await approve((await onlyRequest()).id);
    const agent = await TestAgent.enroll(server.url, (await poll(pollToken)).enrollmentCode);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    const { data } = await agent.send("Reauthenticate", {});
    const reply = agent.verifyReply(SignedReply.parse(data)).toString("utf8");
    const { loginURL } = JSON.parse(reply) as { loginURL: string };
    const answer = await signIn(new URL(loginURL).searchParams.get("loginToken") ?? "");
    expect(answer).toMatchObject({ state: "completed", deviceName: "ada-1" });
  });
});

describe("a person who was removed", () => {
  const signInToConsole = async () => {
    const { oidcRequestToken, redirectURL } = await anybody()(startOidc, {
      params: { orgID: owner.organizationID },
    });
    const location = await provider.signIn(redirectURL, ada());
    await anybody()(verifyOidc, { body: { oidcRequestToken, location } });
  };
  const remove = async () => {
    await signInToConsole();
    const member = (await owner.call(listMembers)).data.find(({ kind }) => kind === "oidcUser");
    const params = { memberID: member?.id ?? "" };
    await owner.call(removeMember, { params });
    return params;
  };

  it("cannot enroll a device, nor keep one, until an owner readmits them", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    const agent = await TestAgent.enroll(server.url, (await poll(pollToken)).enrollmentCode);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    const params = await remove();
    const next = await preauth();
    expect(await refusalCodes(signIn(next.loginToken))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect((await poll(next.pollToken)).enrollmentCode).toBe("");
    const { data } = await agent.send("Reauthenticate", {});
    const reply = agent.verifyReply(SignedReply.parse(data)).toString("utf8");
    const again = new URL((JSON.parse(reply) as { loginURL: string }).loginURL).searchParams;
    expect(await refusalCodes(signIn(again.get("loginToken") ?? ""))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect(await agent.hasUpdate()).toBe(false);
    await owner.call(readmitMember, { params });
    await signIn((await preauth()).loginToken);
  });

  it("cannot be given a device by a request that the removal did not find", async () => {
    await requireApproval();
    await signIn((await preauth()).loginToken);
    const { id } = await onlyRequest();
    await signInToConsole();
    const removed = await server.query(
      "update oidc_users set removed_at = now() where organization_id = $1 returning id",
      [owner.organizationID],
    );
    expect(removed).toHaveLength(1);
    expect(await refusalCodes(approve(id))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect((await owner.call(listHostsV2)).data).toEqual([]);
  });

  it("cannot use a code or a request from before the removal", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    const { enrollmentCode } = await poll(pollToken);
    await requireApproval();
    const pending = await preauth();
    await signIn(pending.loginToken);
    const { id } = await onlyRequest();
    await remove();
    const answer = await enroll(enrollmentCode);
    expect(answer.errors).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "code" }]);
    expect(await refusal(poll(pending.pollToken))).toMatchObject([{ path: "pollToken" }]);
    expect(await refusalCodes(approve(id))).toEqual(["ERR_NOT_FOUND"]);
  });
});
