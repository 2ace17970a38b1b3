/** Enrollment with single sign-on: verification codes, notices, and people who were removed. */
import {
  getEndpointSignIn,
  listHostsV2,
  listMembers,
  readmitMember,
  removeMember,
} from "@lightkeeper/contract";
import { beforeEach, describe, expect, it } from "vitest";
import { type Fleet } from "../fleet.ts";
import { type TestProvider } from "../oidc-provider.ts";
import { errorsOf, errorCodesOf } from "../request-errors.ts";
import { type Session, type TestServer } from "../server.ts";
import { TestAgent } from "../test-agent.ts";
import { useDeviceEnrollment } from "../device-enrollment.ts";
import { signInWithSso } from "../sso-sign-in.ts";

const {
  state,
  requireApproval,
  ada,
  anonymous,
  preauth,
  poll,
  signIn,
  enroll,
  getOnlyRequest,
  approve,
  enrollAgent,
  reauthenticate,
} = useDeviceEnrollment();
let server: TestServer;
let provider: TestProvider;
let owner: Session;
let fleet: Fleet;
let domain: string;
beforeEach(() => void ({ server, provider, owner, fleet, domain } = state));

describe("the verification code", () => {
  it("is the same on the device, in the login URL and on the page, and different for each request", async () => {
    const first = await preauth();
    const second = await preauth();
    expect(first.verificationCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(first.verificationCode).not.toBe(second.verificationCode);
    for (const { loginURL, loginToken, verificationCode } of [first, second]) {
      expect(new URL(loginURL).searchParams.get("code")).toBe(verificationCode);
      const shown = await anonymous()(getEndpointSignIn, { query: { loginToken } });
      expect(shown.verificationCode).toBe(verificationCode);
    }
  });

  it("is shown for a device that signs in again", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    const agent = await enrollAgent(pollToken);
    const searchParams = await reauthenticate(agent);
    const query = { loginToken: searchParams.get("loginToken") ?? "" };
    const shown = await anonymous()(getEndpointSignIn, { query });
    expect(shown).toMatchObject({ device: { name: "ada-1" }, verificationCode: searchParams.get("code") });
  });
});

describe("the owner of a device", () => {
  const noticesFor = async (email: string) => {
    await server.app.outbox.drain();
    return server.mails.filter(({ to, subject }) => to === email && subject.includes("enrolled"));
  };

  it("is notified by email when a device enrolls in their name, and only then", async () => {
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

  it("is not notified of hosts without a person", async () => {
    const host = await fleet.add();
    await server.app.outbox.drain();
    const before = server.mails.length;
    await TestAgent.enrollHost(server.url, owner, host.id);
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(before);
  });
});

describe("a removed person", () => {
  const signInToConsole = () =>
    signInWithSso(server, provider, { organizationID: owner.organizationID, person: ada() });
  const remove = async () => {
    await signInToConsole();
    const member = (await owner.call(listMembers)).data.find(({ kind }) => kind === "oidcUser");
    const params = { memberID: member?.id ?? "" };
    await owner.call(removeMember, { params });
    return params;
  };

  it("cannot enroll or keep a device until an owner readmits them", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    const agent = await enrollAgent(pollToken);
    const params = await remove();
    const next = await preauth();
    expect(await errorCodesOf(signIn(next.loginToken))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect((await poll(next.pollToken)).enrollmentCode).toBe("");
    const again = await reauthenticate(agent);
    expect(await errorCodesOf(signIn(again.get("loginToken") ?? ""))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect(await agent.hasUpdate()).toBe(false);
    await owner.call(readmitMember, { params });
    await signIn((await preauth()).loginToken);
  });

  it("gets no device from a request that was still open after the removal", async () => {
    await requireApproval();
    await signIn((await preauth()).loginToken);
    const { id } = await getOnlyRequest();
    await signInToConsole();
    const removed = await server.query(
      "update oidc_users set removed_at = now() where organization_id = $1 returning id",
      [owner.organizationID],
    );
    expect(removed).toHaveLength(1);
    expect(await errorCodesOf(approve(id))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    expect((await owner.call(listHostsV2)).data).toEqual([]);
  });

  it("cannot use a code or a request from before the removal", async () => {
    const { pollToken, loginToken } = await preauth();
    await signIn(loginToken);
    const { enrollmentCode } = await poll(pollToken);
    await requireApproval();
    const pending = await preauth();
    await signIn(pending.loginToken);
    const { id } = await getOnlyRequest();
    await remove();
    const response = await enroll(enrollmentCode);
    expect(response.errors).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "code" }]);
    expect(await errorsOf(poll(pending.pollToken))).toMatchObject([{ path: "pollToken" }]);
    expect(await errorCodesOf(approve(id))).toEqual(["ERR_NOT_FOUND"]);
  });
});
