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

describe("the list of CAs", () => {
  it("shows the CA of every network, oldest first, with its state, fingerprint and validity", async () => {
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

  it("counts the hosts with an active certificate from each CA, and shows when the first of these expires", async () => {
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

  it("is paginated, and includes the total count on request", async () => {
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

  it("rejects an invalid network ID as a filter, and is empty for another organization's network", async () => {
    const query = { "filter.networkID": "rubbish" };
    expect(await errorsOf(owner.call(listCertificateAuthorities, { query }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "filter.networkID" },
    ]);
    const theirs = await createTestNetwork(await server.signUp());
    expect(await list({ "filter.networkID": theirs.id })).toEqual([]);
  });

  it("is not found while the organization's LIST_CERT_AUTHORITIES flag is off [S2.14] [S3.3]", async () => {
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

  it("is not found if the configuration does not enable it", async () => {
    const configured = await startTestServer({ environment: { FEATURE_FLAGS: "{}" } });
    try {
      const { call } = await configured.signUp();
      expect(await errorCodesOf(call(listCertificateAuthorities))).toEqual(["ERR_NOT_FOUND"]);
    } finally {
      await configured.close();
    }
  });
});

describe("a CA's private key", () => {
  const place = (id: string) => ({ table: "certificate_authorities", column: "private_key", id });
  const sealedKeys = () =>
    server.query<{ id: string; private_key: Buffer }>("select id, private_key from certificate_authorities");

  it("can be decrypted only for its own row, and can sign", async () => {
    const { signingCAID, pendingID } = await createRotatingNetwork();
    const keys = (await sealedKeys()).filter(({ id }) => id === signingCAID || id === pendingID);
    expect(keys).toHaveLength(2);
    for (const { id, private_key } of keys) {
      expect(createSigner(server.ctx.secrets.open(private_key, place(id))).publicKey).toHaveLength(32);
      const elsewhere = id === signingCAID ? pendingID : signingCAID;
      expect(() => server.ctx.secrets.open(private_key, place(elsewhere))).toThrow();
    }
  });

  it("is in no response, no log line and no audit entry", async () => {
    const { pendingID } = await createRotatingNetwork();
    await move(pendingID, "SIGNING");
    const responses = JSON.stringify(await list({ pageSize: 500 }));
    const [audit] = await server.query<{ text: string }>(
      "select string_agg(concat(before, after), ' ') as text from audit_logs",
    );
    expect(logged).toContain("/v1/certificate-authorities");
    for (const { id, private_key } of await sealedKeys()) {
      const key = server.ctx.secrets.open(private_key, place(id));
      for (const secret of [key.subarray(0, 32), private_key])
        for (const encoding of ["base64", "base64url", "hex"] as const)
          for (const text of [responses, audit?.text ?? "", logged])
            expect(text.includes(secret.toString(encoding))).toBe(false);
    }
    expect(responses + logged).not.toMatch(/private/i);
  });
});
