import {
  blockHostV2,
  createEnrollmentCode,
  createRole,
  createRoute,
  getHostV2,
  listAuditLogs,
  listCertificateAuthorities,
  unblockHostV2,
} from "@lightkeeper/contract";
import { EnrollReply } from "@lightkeeper/contract/agent";
import { decodeCertificateV1, decodePem, formatCidr } from "@lightkeeper/nebula";
import { verifyV1 } from "@lightkeeper/nebula/signing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { PRODUCTION } from "../../testing/production.ts";
import { DAY_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { newHostKey, newTunnelKey } from "../../testing/agent-keys.ts";
import { decode, enrollBody, post, TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const enroll = (body: object, at = server) => post(`${at.url}/v2/enroll`, JSON.stringify(body));
const codeFor = async (hostID: string) =>
  (await owner.call(createEnrollmentCode, { params: { hostID } })).code;
const certificateOf = (pem: string) => decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem));
const WRONG = {
  code: "ERR_INVALID_VALUE",
  path: "code",
  message: "the code is wrong, used or expired",
};

describe("enrolling", () => {
  it("returns every field that clients of the public library require", async () => {
    const host = await fleet.add();
    const answer = await enroll(enrollBody(await codeFor(host.id)));
    expect([answer.status, answer.errors]).toEqual([200, []]);
    const reply = EnrollReply.parse(answer.data);
    expect(reply).toMatchObject({
      hostID: host.id,
      counter: 1,
      organization: { id: owner.organizationID },
      network: { id: fleet.networkID, curve: "25519" },
      host: {
        id: host.id,
        name: host.name,
        ipAddress: host.ipAddresses[0],
        ipAddresses: host.ipAddresses,
      },
      endpointOIDC: null,
    });
    expect(reply.network.cidrs).toEqual([reply.network.cidr]);
    expect(decode(reply.trustedKeys)).toMatch(
      /^-----BEGIN NEBULA ED25519 PUBLIC KEY-----\n.{44}\n-----END NEBULA ED25519 PUBLIC KEY-----\n$/,
    );
    expect(decode(reply.config)).toMatch(/^pki:\n {2}ca: \|\n/);
    expect(decode(reply.config)).not.toContain("key:");
  });

  it("issues a certificate for a year with the host's name, address, role, tags and routed subnets", async () => {
    const role = await owner.call(createRole, { body: { name: "Routers" } });
    const host = await fleet.add({ roleID: role.id, tags: ["env:prod", "a:b"] });
    await owner.call(createRoute, {
      body: { name: "Office", routerHostID: host.id, routableCIDRs: { "192.168.7.0/24": { install: true } } },
    });
    const [hostKey, tunnelKey] = [newHostKey(), newTunnelKey()];
    const before = Math.floor(server.ctx.clock().getTime() / 1000) * 1000;
    const { data } = await enroll(enrollBody(await codeFor(host.id), hostKey, tunnelKey));
    const config = decode(EnrollReply.parse(data).config);
    const [ca, cert] = [...config.matchAll(/\|\n((?: {4}.*\n)+)/g)].map(([, block]) =>
      (block ?? "").replace(/^ {4}/gm, ""),
    );
    const { details } = certificateOf(cert!);
    expect(details).toMatchObject({
      name: host.name,
      groups: [`role:${role.id}`, "tag:a:b", "tag:env:prod"],
      isCa: false,
    });
    expect(details.networks.map(formatCidr)).toEqual([`${host.ipAddresses[0]}/22`]);
    expect(details.unsafeNetworks.map(formatCidr)).toEqual(["192.168.7.0/24"]);
    expect(Buffer.from(details.publicKey)).toEqual(
      Buffer.from(decode(tunnelKey.publicPem).split("\n")[1]!, "base64"),
    );
    const begins = details.notBefore.getTime();
    expect(begins).toBeGreaterThanOrEqual(before - 60_000);
    expect(begins).toBeLessThanOrEqual(server.ctx.clock().getTime() - 60_000);
    expect(details.notAfter.getTime() - begins).toBeLessThanOrEqual(365 * DAY_MS + 61_000);
    expect(details.notAfter.getTime() - begins).toBeGreaterThan(365 * DAY_MS);
    expect(
      verifyV1({ certificate: certificateOf(cert!), ca: certificateOf(ca!), at: server.ctx.clock() }),
    ).toEqual({ ok: true });
  });

  it("updates the host's agent and the host count of the CA, and writes an audit entry", async () => {
    const host = await fleet.add();
    const counted = async () => {
      const query = { "filter.networkID": fleet.networkID };
      return (await owner.call(listCertificateAuthorities, { query })).data[0]!.hostCount;
    };
    const before = await counted();
    await TestAgent.enrollHost(server.url, owner, host.id);
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).metadata).toMatchObject({
      platform: "dnclient",
      version: "1.0.0",
    });
    expect(await counted()).toBe(before + 1);
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": host.id } })).data;
    expect(entry).toMatchObject({
      actor: { type: "host", id: host.id, name: host.name },
      event: {
        type: "ENROLLED",
        before: null,
        after: { fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
  });

  it("ignores unknown fields, null keys of the other curve, and the content type", async () => {
    const code = await codeFor((await fleet.add()).id);
    const body = {
      ...enrollBody(code),
      nebulaPubkeyP256: null,
      hostPubkeyP256: null,
      favouriteColour: "blue",
      timestamp: null,
    };
    const { timestamp: _, ...rest } = body;
    const response = await fetch(`${server.url}/v2/enroll`, {
      method: "POST",
      headers: { "content-type": "text/html" },
      body: JSON.stringify(rest),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-request-id")).toMatch(/^req-/);
  });
});

describe("an enrollment code", () => {
  it("works once, also with five concurrent requests", async () => {
    const code = await codeFor((await fleet.add()).id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => enroll(enrollBody(code))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(await enroll(enrollBody(code))).toEqual({ status: 400, data: {}, errors: [WRONG] });
  });

  it("that is wrong, replaced or expired is rejected with the error that clients expect", async () => {
    const { id } = await fleet.add();
    const replaced = await codeFor(id);
    const current = await codeFor(id);
    for (const code of ["", "wrong", replaced])
      expect((await enroll(enrollBody(code))).errors).toEqual([WRONG]);
    await server.query("update enrollment_codes set expires_at = $2 where host_id = $1", [
      id,
      server.ctx.clock(),
    ]);
    expect((await enroll(enrollBody(current))).errors).toEqual([WRONG]);
  });

  it("is not used up by a request with invalid keys", async () => {
    const code = await codeFor((await fleet.add()).id);
    const good = enrollBody(code);
    for (const [path, value] of [
      ["edPubkey", null],
      ["edPubkey", good.dhPubkey],
      ["dhPubkey", good.edPubkey],
      ["dhPubkey", Buffer.from("-----BEGIN").toString("base64")],
    ] as const)
      expect((await enroll({ ...good, [path]: value })).errors).toMatchObject([
        { code: "ERR_INVALID_VALUE", path },
      ]);
    expect((await enroll({ ...good, edPubkey: "not base64!" })).status).toBe(400);
    expect((await enroll(good)).status).toBe(200);
  });

  it("of a blocked host is rejected with ERR_HOST_BLOCKED, and stays invalid after unblocking", async () => {
    const { id } = await fleet.add();
    const code = await codeFor(id);
    await owner.call(blockHostV2, { params: { hostID: id } });
    const rejected = await enroll(enrollBody(code));
    expect(rejected).toMatchObject({ status: 400, errors: [{ code: "ERR_HOST_BLOCKED" }] });
    expect(rejected.errors[0]).not.toHaveProperty("path");
    await owner.call(unblockHostV2, { params: { hostID: id } });
    expect((await enroll(enrollBody(code))).errors).toEqual([WRONG]);
    expect((await enroll(enrollBody(await codeFor(id)))).status).toBe(200);
  });

  it("can be wrong 30 times in 15 minutes per IP address, and valid any number of times", async () => {
    const environment = {
      ...PRODUCTION,
      APP_URL: "https://lightkeeper.example.com",
      SMTP_URL: "smtp://127.0.0.1:1",
      MAIL_FROM: "a@example.com",
      SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      SIGNUP: "open",
    };
    const strict = await startTestServer({ environment, frozen: true });
    try {
      const person = await strict.signUp();
      const strictFleet = await createFleet(strict, person);
      const enrollWithValidCode = async () => {
        const { id } = await strictFleet.add();
        const { code } = await person.call(createEnrollmentCode, { params: { hostID: id } });
        return (await enroll(enrollBody(code), strict)).status;
      };
      for (let count = 0; count < 3; count++) expect(await enrollWithValidCode()).toBe(200);
      for (let count = 0; count < 30; count++)
        expect((await enroll(enrollBody("wrong"), strict)).status).toBe(400);
      const rejected = await enroll(enrollBody("wrong"), strict);
      expect(rejected).toMatchObject({ status: 429, errors: [{ code: "ERR_TOO_MANY_REQUESTS" }] });
      strict.advance(15 * 60_000 + 1000);
      expect(await enrollWithValidCode()).toBe(200);
    } finally {
      await strict.close();
    }
  });
});

describe("enrolling again", () => {
  it("revokes the host's credentials, and adds its older certificates to the blocklist of all hosts", async () => {
    const [{ id }, other] = [await fleet.add(), await fleet.add()];
    const first = await TestAgent.enrollHost(server.url, owner, id);
    const otherAgent = await TestAgent.enrollHost(server.url, owner, other.id);
    const second = await TestAgent.enrollHost(server.url, owner, id);
    expect((await first.send("CheckForUpdate")).status).toBe(401);
    expect(await second.hasUpdate()).toBe(false);
    expect(await otherAgent.poll()).toMatchObject({ action: { command: "DoConfigUpdate" } });
    await otherAgent.update("DoConfigUpdate");
    const [revoked] = await server.query<{ fingerprint: string }>(
      "select fingerprint from host_certificates where host_id = $1 and revoked_at is not null",
      [id],
    );
    expect(otherAgent.state.config).toContain(revoked!.fingerprint);
    expect(second.state.config).toContain(revoked!.fingerprint);
  });
});

it("an organization has one signing key for all of its hosts, which is stored encrypted", async () => {
  const agents = await Promise.all(
    [await fleet.add(), await fleet.add()].map(({ id }) => TestAgent.enrollHost(server.url, owner, id)),
  );
  expect(agents[0]!.state.trustedKeys).toBe(agents[1]!.state.trustedKeys);
  const rows = await server.query<{ public_key: Buffer; private_key: Buffer; organization_id: string }>(
    "select * from signing_keys where organization_id = $1",
    [owner.organizationID],
  );
  expect(rows).toHaveLength(1);
  const [{ private_key, organization_id: id }] = rows as [(typeof rows)[number]];
  const place = { table: "signing_keys", column: "private_key", id };
  expect(server.ctx.secrets.open(private_key, place)).toHaveLength(32);
  expect(() => server.ctx.secrets.open(private_key, { ...place, id: "org-other" })).toThrow();
});

describe("signing in on a device", () => {
  const start = async () => {
    const response = await fetch(`${server.url}/v1/endpoint-auth/preauth`, { method: "POST" });
    return ((await response.json()) as { data: { pollToken: string; loginURL: string } }).data;
  };
  const poll = async (query: string) => {
    const response = await fetch(`${server.url}/v1/endpoint-auth/poll${query}`);
    return { status: response.status, ...((await response.json()) as object) };
  };

  it("can be polled with its own token", async () => {
    const { pollToken, loginURL } = await start();
    expect(loginURL).toMatch(
      /^http:\/\/localhost:8080\/endpoint-auth\/login\?code=[B-Z]{4}-[B-Z]{4}&loginToken=[\w-]{43}$/,
    );
    expect(loginURL).not.toContain(pollToken);
    expect(await poll(`?pollToken=${pollToken}`)).toMatchObject({
      status: 200,
      data: { state: "WAITING", enrollmentCode: "" },
    });
  });

  it("is rejected with an unknown, missing or expired token", async () => {
    const { pollToken } = await start();
    await server.query("update endpoint_auth_requests set expires_at = now()");
    for (const query of ["", "?pollToken=", "?pollToken=unknown", `?pollToken=${pollToken}`])
      expect(await poll(query)).toMatchObject({ status: 400, errors: [{ path: "pollToken" }] });
  });
});
