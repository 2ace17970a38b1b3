import {
  createHostV2,
  deleteHost,
  getEndpointSignIn,
  getHostV2,
  listAuditLogs,
  verifyEndpointSignIn,
  verifyOidc,
} from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import {
  ada,
  anonymous,
  configure,
  domain,
  enrollDevice,
  fleet,
  owner,
  poll,
  preauth,
  provider,
  requireCompleted,
  roleID,
  server,
  signIn,
  start,
  useEndpointAuth,
} from "../../testing/endpoint-auth-fixture.ts";
import { createFleet } from "../../testing/fleet.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { MINUTE_MS } from "../../testing/server.ts";
import { enrollBody, post } from "../../testing/test-agent.ts";

useEndpointAuth();

describe("a device", () => {
  it("joins the network with the organization's settings when its user signs in", async () => {
    const { pollToken, loginToken } = await preauth();
    expect(await poll(pollToken)).toEqual({ state: "WAITING", enrollmentCode: "" });
    expect(await anonymous()(getEndpointSignIn, { query: { loginToken } })).toEqual({
      device: null,
      verificationCode: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      state: "open",
    });
    const { oidcRequestToken, redirectURL } = await start(loginToken, `ada.king@${domain.toUpperCase()}`);
    expect(await poll(pollToken)).toEqual({ state: "STARTED", enrollmentCode: "" });
    const location = await provider.signIn(redirectURL, ada());
    const done = requireCompleted(
      await anonymous()(verifyEndpointSignIn, { body: { oidcRequestToken, location } }),
    );
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
    // The code works for one device only.
    const again = await post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(enrollmentCode)));
    expect(again.errors).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "code" }]);
  });

  it("gets a name with the lowest free number", async () => {
    await fleet.add({ name: "Ada.King-1" });
    const first = await enrollDevice();
    const second = await enrollDevice();
    expect([first, second].map(({ completed }) => completed.deviceName)).toEqual([
      "ada.king-2",
      "ada.king-3",
    ]);
    await owner.call(deleteHost, { params: { hostID: first.agent.state.hostID } });
    const odd = { sub: "odd", email: `-ö_${"x".repeat(61)}@${domain}`, email_verified: true };
    expect((await enrollDevice(odd)).completed.deviceName).toBe(`${"x".repeat(59)}-1`);
    expect((await enrollDevice()).completed.deviceName).toBe("ada.king-2");
  });

  it("gets a unique name when several devices enroll concurrently", async () => {
    const devices = await Promise.all([1, 2, 3, 4].map(() => enrollDevice()));
    const names = devices.map(({ completed }) => completed.deviceName);
    expect(names.sort()).toEqual(["ada.king-1", "ada.king-2", "ada.king-3", "ada.king-4"]);
  });

  it("is created once per request, even if its user signs in twice", async () => {
    const { loginToken } = await preauth();
    const started = await Promise.all([start(loginToken, domain), start(loginToken, domain)]);
    const outcomes = await Promise.all(
      started.map(async ({ oidcRequestToken, redirectURL }) => {
        const location = await provider.signIn(redirectURL, ada());
        return outcomeOf(anonymous()(verifyEndpointSignIn, { body: { oidcRequestToken, location } }));
      }),
    );
    expect(outcomes.sort()).toEqual(["ERR_INVALID_OIDC_REQUEST_TOKEN", "done"]);
    expect(await errorsOf(start(loginToken, domain))).toMatchObject([{ path: "loginToken" }]);
    expect((await anonymous()(getEndpointSignIn, { query: { loginToken } })).state).toBe("completed");
  });

  it("can wait 15 minutes for the sign-in, and each of its tokens has only one purpose", async () => {
    const { pollToken, loginToken } = await preauth();
    const { oidcRequestToken, redirectURL } = await start(loginToken, domain);
    const location = await provider.signIn(redirectURL, ada());
    expect(await errorCodesOf(anonymous()(verifyOidc, { body: { oidcRequestToken, location } }))).toEqual([
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

  it("finds its organization by domain or ID, but only if the organization allows devices", async () => {
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

  it("is not added if its user may not sign in or the network has no free address", async () => {
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

  it("is rejected after ten sign-ins of the same user in 15 minutes", async () => {
    for (let n = 1; n <= 10; n++) await signIn((await preauth()).loginToken);
    expect(await errorCodesOf(signIn((await preauth()).loginToken))).toEqual(["ERR_TOO_MANY_REQUESTS"]);
    await signIn((await preauth()).loginToken, { person: { ...ada(), sub: "other" } });
  });
});
