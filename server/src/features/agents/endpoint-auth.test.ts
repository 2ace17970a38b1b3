import {
  blockHostV2,
  createHostV2,
  createRole,
  deleteHost,
  getEndpointSignIn,
  getHostV2,
  listAuditLogs,
  type Output,
  pollEndpointAuth,
  startEndpointAuth,
  startEndpointSignIn,
  updateHostV2,
  updateOidcProvider,
  verifyEndpointSignIn,
  verifyOidc,
} from "@lightkeeper/contract";
import { SignedReply } from "@lightkeeper/contract/agent";
import { decodeCertificateV1, decodePem } from "@lightkeeper/nebula";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDns } from "../../testing/dns.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type ProviderPerson, startProvider, type TestProvider } from "../../testing/oidc-provider.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import {
  DAY_MS,
  MINUTE_MS,
  renew,
  type Session,
  startTestServer,
  type TestServer,
} from "../../testing/server.ts";
import { enrollBody, post, TestAgent } from "../../testing/test-agent.ts";

const dns = createTestDns();
let server: TestServer;
let provider: TestProvider;
let owner: Session;
let fleet: Fleet;
let roleID: string;
beforeAll(async () => {
  server = await startTestServer({
    environment: { OIDC_ALLOWED_HOSTS: "127.0.0.1" },
    agentHoldMs: 50,
    resolveTxt: dns.resolveTxt,
  });
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
  await server.close();
});

let made = 0;
let domain: string;
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  roleID = (await owner.call(createRole, { body: { name: "Laptop" } })).id;
  domain = `staff${++made}.example`;
  await configure();
  await dns.verify(owner, domain);
});

const configure = (change: object = {}, session = owner) => {
  const { issuerURL, clientID, clientSecret } = provider;
  const endpoint = { networkID: fleet.networkID, roleID, tags: ["kind:laptop"], validDays: 10 };
  const defaultRole = "administrator" as const;
  const body = {
    issuerURL,
    clientID,
    clientSecret,
    allowedDomains: [domain],
    defaultRole,
    endpoint,
    ...change,
  };
  return session.call(updateOidcProvider, { body });
};
const ada = (): ProviderPerson => ({
  sub: "ada",
  email: `Ada.King@${domain}`,
  email_verified: true,
});
const anybody = () => server.client();
const preauth = async () => {
  const { pollToken, loginURL } = await anybody()(startEndpointAuth);
  return { pollToken, loginToken: tokenIn(loginURL) };
};
const tokenIn = (loginURL: string) => {
  const { origin, pathname, searchParams } = new URL(loginURL);
  expect(`${origin}${pathname}`).toBe("http://localhost:8080/endpoint-auth/login");
  return searchParams.get("loginToken") ?? "";
};
const poll = (pollToken: string) => anybody()(pollEndpointAuth, { query: { pollToken } });
const start = (loginToken: string, organization?: string) =>
  anybody()(startEndpointSignIn, { body: { loginToken, ...(organization && { organization }) } });
const signIn = async (loginToken: string, { person = ada(), organization = domain } = {}) => {
  const { oidcRequestToken, redirectURL } = await start(loginToken, organization);
  const location = await provider.signIn(redirectURL, person);
  return completed(await anybody()(verifyEndpointSignIn, { body: { oidcRequestToken, location } }));
};
const completed = (answer: Output<typeof verifyEndpointSignIn>) => {
  if (answer.state !== "completed") throw new Error("The device waits for approval");
  return answer;
};
/** From nothing to an agent in the network. */
const newDevice = async (person = ada()) => {
  const { pollToken, loginToken } = await preauth();
  const completed = await signIn(loginToken, { person });
  const agent = await TestAgent.enroll(server.url, (await poll(pollToken)).enrollmentCode);
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  return { agent, completed };
};
const later = (agent: TestAgent, ms: number) => {
  server.advance(ms);
  agent.skewMs += ms;
};
const endOf = (agent: TestAgent) =>
  decodeCertificateV1(decodePem("NEBULA CERTIFICATE", agent.state.certificate)).details.notAfter;
const hostOf = (agent: TestAgent, session = owner) =>
  session.call(getHostV2, { params: { hostID: agent.state.hostID } });
const reauthenticate = async (agent: TestAgent) => {
  const { status, data, errors } = await agent.send("Reauthenticate", {});
  if (status !== 200) throw new Error(errors[0]?.code);
  const { loginURL } = JSON.parse(agent.verifyReply(SignedReply.parse(data)).toString("utf8")) as {
    loginURL: string;
  };
  return tokenIn(loginURL);
};

describe("a device", () => {
  it("comes into the network when its person signs in, as the organization says", async () => {
    const { pollToken, loginToken } = await preauth();
    expect(await poll(pollToken)).toEqual({ state: "WAITING", enrollmentCode: "" });
    expect(await anybody()(getEndpointSignIn, { query: { loginToken } })).toEqual({
      device: null,
      verificationCode: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      state: "open",
    });
    const { oidcRequestToken, redirectURL } = await start(loginToken, `ada.king@${domain.toUpperCase()}`);
    expect(await poll(pollToken)).toEqual({ state: "STARTED", enrollmentCode: "" });
    const location = await provider.signIn(redirectURL, ada());
    const done = completed(await anybody()(verifyEndpointSignIn, { body: { oidcRequestToken, location } }));
    expect(done).toMatchObject({ email: `ada.king@${domain}`, deviceName: "ada.king-1" });
    const { state, enrollmentCode } = await poll(pollToken);
    expect([state, (await poll(pollToken)).enrollmentCode]).toEqual(["COMPLETED", enrollmentCode]);

    const answer = await post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(enrollmentCode)));
    expect(answer.data.endpointOIDC).toEqual({
      email: `ada.king@${domain}`,
      expiresAt: done.validUntil,
    });
    const hostID = String(answer.data.hostID);
    const host = await owner.call(getHostV2, { params: { hostID } });
    expect(host).toMatchObject({
      name: "ada.king-1",
      networkID: fleet.networkID,
      roleID,
      tags: ["kind:laptop"],
    });
    expect(host.endpointOIDCUserID).toMatch(/^eoidcuser-/);
    expect(host.metadata.certificateExpiresAt).toBe(done.validUntil);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": hostID } });
    expect(data.map(({ actor, event }) => `${actor.type} ${event.type}`).sort()).toEqual([
      "host ENROLLED",
      "oidcUser CREATED",
      "oidcUser CREATED_ENROLL_CODE",
      "oidcUser SUCCEEDED_AUTH",
    ]);
    // The code is good for one device.
    const again = await post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(enrollmentCode)));
    expect(again.errors).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "code" }]);
  });

  it("takes the lowest number that is free", async () => {
    await fleet.add({ name: "Ada.King-1" });
    const first = await newDevice();
    const second = await newDevice();
    expect([first, second].map(({ completed }) => completed.deviceName)).toEqual([
      "ada.king-2",
      "ada.king-3",
    ]);
    await owner.call(deleteHost, { params: { hostID: first.agent.state.hostID } });
    const odd = { sub: "odd", email: `-ö_${"x".repeat(61)}@${domain}`, email_verified: true };
    expect((await newDevice(odd)).completed.deviceName).toBe(`${"x".repeat(59)}-1`);
    expect((await newDevice()).completed.deviceName).toBe("ada.king-2");
  });

  it("gets a name of its own when many come at once", async () => {
    const devices = await Promise.all([1, 2, 3, 4].map(() => newDevice()));
    const names = devices.map(({ completed }) => completed.deviceName);
    expect(names.sort()).toEqual(["ada.king-1", "ada.king-2", "ada.king-3", "ada.king-4"]);
  });

  it("is made once for one request, however often its person signs in", async () => {
    const { loginToken } = await preauth();
    const begun = await Promise.all([start(loginToken, domain), start(loginToken, domain)]);
    const outcomes = await Promise.all(
      begun.map(async ({ oidcRequestToken, redirectURL }) => {
        const location = await provider.signIn(redirectURL, ada());
        return outcomeOf(anybody()(verifyEndpointSignIn, { body: { oidcRequestToken, location } }));
      }),
    );
    expect(outcomes.sort()).toEqual(["ERR_INVALID_OIDC_REQUEST_TOKEN", "done"]);
    expect(await errorsOf(start(loginToken, domain))).toMatchObject([{ path: "loginToken" }]);
    expect((await anybody()(getEndpointSignIn, { query: { loginToken } })).state).toBe("completed");
  });

  it("waits for a quarter of an hour, and its tokens are of no other use", async () => {
    const { pollToken, loginToken } = await preauth();
    const { oidcRequestToken, redirectURL } = await start(loginToken, domain);
    const location = await provider.signIn(redirectURL, ada());
    expect(await errorCodesOf(anybody()(verifyOidc, { body: { oidcRequestToken, location } }))).toEqual([
      "ERR_INVALID_OIDC_REQUEST_TOKEN",
    ]);
    for (const wrong of [pollToken, "guess"])
      expect(await errorsOf(start(wrong, domain))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "loginToken" },
      ]);
    expect(await errorsOf(poll(loginToken))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "pollToken" },
    ]);
    server.advance(15 * MINUTE_MS);
    expect(await errorsOf(poll(pollToken))).toMatchObject([{ path: "pollToken" }]);
    expect(await errorsOf(start(loginToken, domain))).toMatchObject([{ path: "loginToken" }]);
  });

  it("finds its organization by domain or id, and none that takes no devices", async () => {
    const { loginToken } = await preauth();
    await start(loginToken, owner.organizationID);
    expect(await errorsOf(start(loginToken))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "organization" },
    ]);
    for (const unknown of ["unknown.example", "%", "org-a.example"])
      expect(await errorsOf(start(loginToken, unknown))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "organization" },
      ]);
    for (const id of ["org-A", "org-AAAAAAAAAAAAAAAAAAAAAAAAAA"])
      expect(await errorCodesOf(start(loginToken, id))).toEqual(["ERR_OIDC_NOT_CONFIGURED"]);
    await configure({ endpoint: null });
    expect(await errorCodesOf(start(loginToken, owner.organizationID))).toEqual(["ERR_OIDC_NOT_CONFIGURED"]);
  });

  it("stays outside when its person may not sign in, or there is no room", async () => {
    const { loginToken, pollToken } = await preauth();
    const person = { sub: "eve", email: "eve@elsewhere.example", email_verified: true };
    expect(await errorCodesOf(signIn(loginToken, { person }))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect((await poll(pollToken)).state).toBe("STARTED");
    const small = await createFleet(server, owner, "10.9.0.0/30");
    for (const name of ["a", "b"])
      await owner.call(createHostV2, { body: { name, networkID: small.networkID } });
    await configure({ endpoint: { networkID: small.networkID } });
    expect(await errorCodesOf(signIn(loginToken))).toEqual(["ERR_NETWORK_FULLY_ALLOCATED"]);
    await configure();
    await signIn(loginToken);
  });

  it("of one person is one of ten in a quarter of an hour", async () => {
    for (let n = 1; n <= 10; n++) await signIn((await preauth()).loginToken);
    expect(await errorCodesOf(signIn((await preauth()).loginToken))).toEqual(["ERR_TOO_MANY_REQUESTS"]);
    await signIn((await preauth()).loginToken, { person: { ...ada(), sub: "other" } });
  });
});

describe("a device whose person signed in long ago", () => {
  it("has a certificate that ends with the sign-in, and gets nothing new until they sign in again", async () => {
    const { agent, completed } = await newDevice();
    expect(endOf(agent).toISOString()).toBe(completed.validUntil.replace(/\.\d+Z$/, ".000Z"));
    later(agent, 6 * DAY_MS);
    expect(await agent.hasUpdate()).toBe(false);
    later(agent, 4 * DAY_MS);
    const fresh = await renew(server, owner);
    agent.skewMs = server.ctx.clock().getTime() - Date.now();
    await fresh.call(updateHostV2, {
      params: { hostID: agent.state.hostID },
      body: { name: "renamed", tags: ["kind:other"] },
    });
    expect(await agent.hasUpdate()).toBe(false);
    expect(await agent.poll()).toMatchObject({ action: { command: "NoOp" } });
    for (const type of ["DoUpdate", "DoConfigUpdate"] as const)
      await expect(agent.fetchUpdate(type)).rejects.toThrow("ERR_HOST_SIGN_IN_EXPIRED");

    const loginToken = await reauthenticate(agent);
    expect(await anybody()(getEndpointSignIn, { query: { loginToken } })).toMatchObject({
      device: { name: "renamed", organizationName: "example.com" },
    });
    const { validUntil, deviceName } = await signIn(loginToken, { organization: "" });
    expect(deviceName).toBe("renamed");
    expect(Date.parse(validUntil)).toBeGreaterThan(server.ctx.clock().getTime() + 9.9 * DAY_MS);
    expect(await agent.poll()).toMatchObject({ action: { command: "DoUpdate" } });
    await agent.update("DoUpdate");
    expect(endOf(agent).getTime()).toBe(Math.floor(Date.parse(validUntil) / 1000) * 1000);
    expect(await agent.hasUpdate()).toBe(false);
    expect((await hostOf(agent, fresh)).metadata.certificateExpiresAt).toBe(validUntil);
  });

  it("is told at once when they sign in before the end, and then has its new end", async () => {
    const { agent } = await newDevice();
    later(agent, DAY_MS);
    const { validUntil } = await signIn(await reauthenticate(agent), { organization: "" });
    expect(await agent.poll()).toMatchObject({ action: { command: "DoUpdate" } });
    await agent.update("DoUpdate");
    expect(endOf(agent).getTime()).toBe(Math.floor(Date.parse(validUntil) / 1000) * 1000);
  });

  it("is not kept by somebody else, nor against a block", async () => {
    const { agent } = await newDevice();
    const person = { sub: "eve", email: `eve@${domain}`, email_verified: true };
    expect(await errorsOf(signIn(await reauthenticate(agent), { person, organization: "" }))).toEqual([
      { code: "ERR_OIDC_NOT_ALLOWED", message: "the device belongs to someone else" },
    ]);
    const loginToken = await reauthenticate(agent);
    await owner.call(blockHostV2, { params: { hostID: agent.state.hostID } });
    expect(await errorCodesOf(signIn(loginToken, { organization: "" }))).toEqual(["ERR_HOST_BLOCKED"]);
    expect((await agent.send("Reauthenticate", {})).status).toBe(401);
  });

  it("does not come back by a code either", async () => {
    const { pollToken, loginToken } = await preauth();
    await configure({ endpoint: { networkID: fleet.networkID, validDays: 1 } });
    await signIn(loginToken);
    const { enrollmentCode } = await poll(pollToken);
    await server.query(
      "update hosts set endpoint_expires_at = now() - interval '1 day' where network_id = $1",
      [fleet.networkID],
    );
    const answer = await post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(enrollmentCode)));
    expect([answer.status, answer.errors[0]?.code]).toEqual([400, "ERR_HOST_SIGN_IN_EXPIRED"]);
  });

  it("cannot ask again where there is nobody to ask, and a host that is nobody's device never can", async () => {
    const { agent } = await newDevice();
    const host = await fleet.add();
    const plain = await TestAgent.enrollHost(server.url, owner, host.id);
    plain.skewMs = agent.skewMs;
    await expect(reauthenticate(plain)).rejects.toThrow("ERR_OIDC_NOT_CONFIGURED");
    await configure({ endpoint: null });
    await expect(reauthenticate(agent)).rejects.toThrow("ERR_OIDC_NOT_CONFIGURED");
  });
});
