import { listCertificateAuthorities } from "@lightkeeper/contract";
import { createSigner } from "@lightkeeper/nebula/signing";
import { describe, expect, it } from "vitest";
import {
  createHostWithCa,
  createRotatingNetwork,
  createTestNetwork,
  list,
  logged,
  move,
  owner,
  server,
  useCertificateAuthorities,
} from "../../testing/certificate-authorities-fixture.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { startTestServer } from "../../testing/server.ts";
import { setFeatureFlag } from "../organizations/organizations.service.ts";

useCertificateAuthorities();

describe("the list", () => {
  it("shows the authority of every network, oldest first, and no more than is to be seen", async () => {
    const session = await server.signUp();
    const networks = [await createTestNetwork(session), await createTestNetwork(session)];
    const { data } = await session.call(listCertificateAuthorities);
    expect(data.map(({ id, networkID, state, hostCount }) => ({ id, networkID, state, hostCount }))).toEqual(
      networks.map(({ id, signingCAID }) => ({
        id: signingCAID,
        networkID: id,
        state: "SIGNING",
        hostCount: 0,
      })),
    );
    expect(data[0]).toMatchObject({ curve: "25519", certVersion: 1 });
    expect(data[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    const [from, to] = [new Date(data[0]?.notBefore ?? ""), new Date(data[0]?.notAfter ?? "")];
    expect(to.getUTCFullYear() - from.getUTCFullYear()).toBe(5);
  });

  it("counts the hosts whose live certificate each has signed, and says when the first of them ends", async () => {
    const { networkID, signingCAID, pendingID } = await createRotatingNetwork();
    await createHostWithCa(networkID, signingCAID, "2027-06-02T00:00:00.000Z");
    await createHostWithCa(networkID, signingCAID, "2027-06-01T00:00:00.000Z");
    await createHostWithCa(networkID, pendingID);
    const listed = await list({ "filter.networkID": networkID });
    expect(listed.map((ca) => [ca.id, ca.hostCount, ca.firstCertificateExpiresAt])).toEqual([
      [signingCAID, 2, "2027-06-01T00:00:00.000Z"],
      [pendingID, 1, null],
    ]);
  });

  it("goes by pages, and counts when asked", async () => {
    const session = await server.signUp();
    for (let index = 0; index < 3; index++) await createTestNetwork(session);
    const first = await session.call(listCertificateAuthorities, {
      query: { pageSize: 2, includeCounts: true },
    });
    expect(first.metadata).toMatchObject({ totalCount: 3, hasNextPage: true, page: { start: 0, count: 2 } });
    const query = { pageSize: 2, cursor: first.metadata.nextCursor };
    const second = await session.call(listCertificateAuthorities, { query });
    expect(second.metadata.hasNextPage).toBe(false);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(3);
  });

  it("refuses a filter that names no network, and finds nothing in another organization's", async () => {
    const query = { "filter.networkID": "rubbish" };
    expect(await errorsOf(owner.call(listCertificateAuthorities, { query }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "filter.networkID" },
    ]);
    const theirs = await createTestNetwork(await server.signUp());
    expect(await list({ "filter.networkID": theirs.id })).toEqual([]);
  });

  it("is not there while the organization has LIST_CERT_AUTHORITIES off [S2.14] [S3.3]", async () => {
    const session = await server.signUp();
    const set = (value: boolean) =>
      server.ctx.audited((tx) =>
        setFeatureFlag(tx, {
          organizationID: session.organizationID,
          name: "LIST_CERT_AUTHORITIES",
          value,
        }),
      );
    await set(false);
    expect(await errorCodesOf(session.call(listCertificateAuthorities))).toEqual(["ERR_NOT_FOUND"]);
    expect((await owner.call(listCertificateAuthorities)).data).not.toEqual([]);
    await set(true);
    expect((await session.call(listCertificateAuthorities)).data).toEqual([]);
  });

  it("is not there where the configuration does not turn it on", async () => {
    const configured = await startTestServer({ environment: { FEATURE_FLAGS: "{}" } });
    try {
      const { call } = await configured.signUp();
      expect(await errorCodesOf(call(listCertificateAuthorities))).toEqual(["ERR_NOT_FOUND"]);
    } finally {
      await configured.close();
    }
  });
});

describe("the private key", () => {
  const place = (id: string) => ({ table: "certificate_authorities", column: "private_key", id });
  const sealedKeys = () =>
    server.query<{ id: string; private_key: Buffer }>("select id, private_key from certificate_authorities");

  it("opens in its place alone, and signs", async () => {
    const { signingCAID, pendingID } = await createRotatingNetwork();
    const keys = (await sealedKeys()).filter(({ id }) => id === signingCAID || id === pendingID);
    expect(keys).toHaveLength(2);
    for (const { id, private_key } of keys) {
      expect(createSigner(server.ctx.secrets.open(private_key, place(id))).publicKey).toHaveLength(32);
      const elsewhere = id === signingCAID ? pendingID : signingCAID;
      expect(() => server.ctx.secrets.open(private_key, place(elsewhere))).toThrow();
    }
  });

  it("is in no answer, no log line and no audit entry", async () => {
    const { pendingID } = await createRotatingNetwork();
    await move(pendingID, "SIGNING");
    const answers = JSON.stringify(await list({ pageSize: 500 }));
    const [audit] = await server.query<{ text: string }>(
      "select string_agg(concat(before, after), ' ') as text from audit_logs",
    );
    expect(logged).toContain("/v1/certificate-authorities");
    for (const { id, private_key } of await sealedKeys()) {
      const key = server.ctx.secrets.open(private_key, place(id));
      for (const secret of [key.subarray(0, 32), private_key])
        for (const encoding of ["base64", "base64url", "hex"] as const)
          for (const text of [answers, audit?.text ?? "", logged])
            expect(text.includes(secret.toString(encoding))).toBe(false);
    }
    expect(answers + logged).not.toMatch(/private/i);
  });
});
