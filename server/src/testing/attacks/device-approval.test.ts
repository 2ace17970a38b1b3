/** Devices that an administrator has to approve. */
import {
  approveDeviceRequest,
  getEndpointSignIn,
  getHostV2,
  listDeviceRequests,
  listHostsV2,
  rejectDeviceRequest,
} from "@lightkeeper/contract";
import { beforeEach, describe, expect, it } from "vitest";
import { deleteExpired } from "../../app/background.ts";
import { readEvents } from "../events.ts";
import { type Fleet } from "../fleet.ts";
import { fillLimit } from "../rate-limits.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { insertSsoUser } from "../sso-users.ts";
import { HOUR_MS, MINUTE_MS, renew, type Session, type TestServer } from "../server.ts";
import { useDeviceEnrollment } from "../device-enrollment.ts";

const {
  state,
  configure,
  requireApproval,
  ada,
  anonymous,
  preauth,
  poll,
  start,
  signIn,
  enroll,
  requests,
  getOnlyRequest,
  approve,
  reject,
  eventsOf,
  enrollAgent,
  reauthenticate,
} = useDeviceEnrollment();
let server: TestServer;
let owner: Session;
let fleet: Fleet;
let domain: string;
beforeEach(() => void ({ server, owner, fleet, domain } = state));

describe("a device of an organization that requires approval", () => {
  const requestDevice = async (person = ada()) => {
    const device = await preauth();
    const status = await signIn(device.loginToken, person);
    return { ...device, status };
  };

  it("waits until an administrator approves it, and only then gets a host and a code", async () => {
    await requireApproval();
    const events = await readEvents(server, owner);
    const { pollToken, loginToken, verificationCode, status } = await requestDevice();
    expect(status).toMatchObject({ state: "pendingApproval", email: `ada@${domain}` });
    expect(await poll(pollToken)).toEqual({ state: "WAITING", enrollmentCode: "" });
    expect((await owner.call(listHostsV2)).data).toEqual([]);
    const request = await getOnlyRequest();
    expect(request).toMatchObject({ email: `ada@${domain}`, verificationCode, address: "127.0.0.1" });
    expect(await anonymous()(getEndpointSignIn, { query: { loginToken } })).toMatchObject({
      state: "pendingApproval",
    });
    expect(await errorsOf(start(loginToken, owner.organizationID))).toMatchObject([{ path: "loginToken" }]);

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

  it("gets a final response when it is rejected, and cannot be approved afterwards", async () => {
    await requireApproval();
    const { pollToken, loginToken } = await requestDevice();
    const { id } = await getOnlyRequest();
    await reject(id);
    expect(await errorsOf(poll(pollToken))).toEqual([
      { code: "ERR_INVALID_VALUE", path: "pollToken", message: "an administrator rejected the device" },
    ]);
    expect(await anonymous()(getEndpointSignIn, { query: { loginToken } })).toMatchObject({
      state: "rejected",
    });
    expect(await errorCodesOf(approve(id))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorCodesOf(reject(id))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorsOf(start(loginToken, owner.organizationID))).toMatchObject([{ path: "loginToken" }]);
    expect((await owner.call(listHostsV2)).data).toEqual([]);
    expect((await eventsOf(id))[0]).toBe("user DELETED");
  });

  it("is approved or rejected exactly once, even if several administrators decide at the same time", async () => {
    await requireApproval();
    await requestDevice();
    const { id } = await getOnlyRequest();
    const outcomes = await Promise.all([
      outcomeOf(approve(id)),
      outcomeOf(approve(id)),
      outcomeOf(reject(id)),
    ]);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect((await owner.call(listHostsV2)).data.length).toBeLessThanOrEqual(1);
  });

  it("waits for approval for at most one day", async () => {
    await requireApproval();
    const { pollToken } = await requestDevice();
    const { id } = await getOnlyRequest();
    server.advance(23 * HOUR_MS);
    await deleteExpired(server.ctx);
    expect(await poll(pollToken)).toMatchObject({ state: "WAITING" });
    server.advance(HOUR_MS + MINUTE_MS);
    const renewed = await renew(server, owner);
    expect(await errorsOf(poll(pollToken))).toMatchObject([{ path: "pollToken" }]);
    expect(await requests(renewed)).toEqual([]);
    expect(await errorCodesOf(approve(id, renewed))).toEqual(["ERR_NOT_FOUND"]);
    await deleteExpired(server.ctx);
    const rows = await server.query("select id from device_requests where id = $1", [id]);
    expect(rows).toEqual([]);
  });

  it("is limited to five waiting devices per person and a hundred per organization", async () => {
    await requireApproval();
    for (let n = 0; n < 5; n++) await requestDevice();
    expect(await errorsOf(requestDevice())).toMatchObject([
      { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 5 } },
    ]);
    await requestDevice(ada({ sub: "grace", email: `grace@${domain}` }));
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
    expect(await errorsOf(requestDevice(ada({ sub: "eve", email: `eve@${domain}` })))).toMatchObject([
      { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 100 } },
    ]);
  });

  it("is requested at most 200 times in 15 minutes per organization, by all people together", async () => {
    await requireApproval();
    await requestDevice();
    await fillLimit(server, { name: "device-request:organization", subject: owner.organizationID }, 200);
    expect(await errorCodesOf(requestDevice(ada({ sub: "grace", email: `grace@${domain}` })))).toEqual([
      "ERR_TOO_MANY_REQUESTS",
    ]);
  });

  it("is approved by administrators of its organization, not by auditors or other organizations", async () => {
    await requireApproval();
    await requestDevice();
    const { id } = await getOnlyRequest();
    const params = { deviceRequestID: id };
    const auditor = server.client(await insertSsoUser(server, owner, "auditor"));
    expect(await auditor(listDeviceRequests)).toHaveLength(1);
    const outsider = await server.signUp();
    expect(await requests(outsider)).toEqual([]);
    for (const call of [approveDeviceRequest, rejectDeviceRequest]) {
      expect(await errorCodesOf(auditor(call, { params }))).toEqual(["ERR_FORBIDDEN"]);
      expect(await errorCodesOf(outsider.call(call, { params }))).toEqual(["ERR_NOT_FOUND"]);
    }
  });

  it("is withdrawn when the sign-in settings change", async () => {
    await requireApproval();
    const { pollToken } = await requestDevice();
    await configure({ allowedDomains: ["other.example"], endpoint: { requiresApproval: true } });
    expect(await requests()).toEqual([]);
    expect(await errorsOf(poll(pollToken))).toMatchObject([{ path: "pollToken" }]);
  });

  it("can sign in again without approval after it was approved", async () => {
    await requireApproval();
    const { pollToken } = await requestDevice();
    await approve((await getOnlyRequest()).id);
    const agent = await enrollAgent(pollToken);
    const searchParams = await reauthenticate(agent);
    expect(await signIn(searchParams.get("loginToken") ?? "")).toMatchObject({
      state: "completed",
      deviceName: "ada-1",
    });
  });
});
