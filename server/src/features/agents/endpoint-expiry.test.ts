import { blockHostV2, getEndpointSignIn, getHostV2, updateHostV2 } from "@lightkeeper/contract";
import { SignedReply } from "@lightkeeper/contract/agent";
import { decodeCertificateV1, decodePem } from "@lightkeeper/nebula";
import { describe, expect, it } from "vitest";
import {
  anonymous,
  configure,
  domain,
  enrollDevice,
  fleet,
  owner,
  poll,
  preauth,
  server,
  signIn,
  tokenIn,
  useEndpointAuth,
} from "../../testing/endpoint-auth-fixture.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { DAY_MS, renew } from "../../testing/server.ts";
import { enrollBody, post, TestAgent } from "../../testing/test-agent.ts";

useEndpointAuth();

const advance = (agent: TestAgent, ms: number) => {
  server.advance(ms);
  agent.skewMs += ms;
};
const expiryOf = (agent: TestAgent) =>
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

describe("a device whose owner's sign-in expires", () => {
  it("has a certificate that expires with the sign-in, and gets no update until its owner signs in again", async () => {
    const { agent, completed } = await enrollDevice();
    expect(expiryOf(agent).toISOString()).toBe(completed.validUntil.replace(/\.\d+Z$/, ".000Z"));
    advance(agent, 6 * DAY_MS);
    expect(await agent.hasUpdate()).toBe(false);
    advance(agent, 4 * DAY_MS);
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
    expect(await anonymous()(getEndpointSignIn, { query: { loginToken } })).toMatchObject({
      device: { name: "renamed", organizationName: "example.com" },
    });
    const { validUntil, deviceName } = await signIn(loginToken, { organization: "" });
    expect(deviceName).toBe("renamed");
    expect(Date.parse(validUntil)).toBeGreaterThan(server.ctx.clock().getTime() + 9.9 * DAY_MS);
    expect(await agent.poll()).toMatchObject({ action: { command: "DoUpdate" } });
    await agent.update("DoUpdate");
    expect(expiryOf(agent).getTime()).toBe(Math.floor(Date.parse(validUntil) / 1000) * 1000);
    expect(await agent.hasUpdate()).toBe(false);
    expect((await hostOf(agent, fresh)).metadata.certificateExpiresAt).toBe(validUntil);
  });

  it("gets a certificate with the new expiry immediately when its owner signs in before the old certificate expires", async () => {
    const { agent } = await enrollDevice();
    advance(agent, DAY_MS);
    const { validUntil } = await signIn(await reauthenticate(agent), { organization: "" });
    expect(await agent.poll()).toMatchObject({ action: { command: "DoUpdate" } });
    await agent.update("DoUpdate");
    expect(expiryOf(agent).getTime()).toBe(Math.floor(Date.parse(validUntil) / 1000) * 1000);
  });

  it("can't be extended by another person or while it is blocked", async () => {
    const { agent } = await enrollDevice();
    const person = { sub: "eve", email: `eve@${domain}`, email_verified: true };
    expect(await errorsOf(signIn(await reauthenticate(agent), { person, organization: "" }))).toEqual([
      { code: "ERR_OIDC_NOT_ALLOWED", message: "the device belongs to someone else" },
    ]);
    const loginToken = await reauthenticate(agent);
    await owner.call(blockHostV2, { params: { hostID: agent.state.hostID } });
    expect(await errorCodesOf(signIn(loginToken, { organization: "" }))).toEqual(["ERR_HOST_BLOCKED"]);
    expect((await agent.send("Reauthenticate", {})).status).toBe(401);
  });

  it("can't enroll with a code after the sign-in has expired", async () => {
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

  it("can't request a sign-in without an identity provider, nor can a host that isn't a device", async () => {
    const { agent } = await enrollDevice();
    const host = await fleet.add();
    const plain = await TestAgent.enrollHost(server.url, owner, host.id);
    plain.skewMs = agent.skewMs;
    await expect(reauthenticate(plain)).rejects.toThrow("ERR_OIDC_NOT_CONFIGURED");
    await configure({ endpoint: null });
    await expect(reauthenticate(agent)).rejects.toThrow("ERR_OIDC_NOT_CONFIGURED");
  });
});
