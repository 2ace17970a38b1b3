import {
  caStates,
  createHostV2,
  createNetwork,
  listAuditLogs,
  listCertificateAuthorities,
} from "@lightkeeper/contract";
import { createSigner } from "@lightkeeper/nebula/signing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bumpRevisions, setSigningCa } from "../networks/revisions.service.ts";
import { done } from "../../infrastructure/db/audited.ts";
import { setFeatureFlag } from "../organizations/organizations.service.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { createPendingCa, moveCa } from "./certificate-authorities.service.ts";
import { type CaState, canChangeState } from "./certificate-authorities.states.ts";

let server: TestServer;
let owner: Session;
let logged = "";
beforeAll(async () => {
  server = await startTestServer({
    environment: { LOG_LEVEL: "trace" },
    logTo: { write: (line: string) => void (logged += line) },
  });
  owner = await server.signUp();
});
afterAll(() => server.close());

let made = 0;
const makeNetwork = (session = owner) => session.call(createNetwork, { body: { name: `Network ${++made}` } });

/** A network with one authority more, which is pending. */
async function rotating() {
  const { id: networkID, signingCAID } = await makeNetwork();
  const pendingID = await server.ctx.audited(async (tx) => {
    const network = await tx
      .selectFrom("networks")
      .selectAll()
      .where("id", "=", networkID)
      .executeTakeFirstOrThrow();
    const { ca, entries } = await createPendingCa(server.ctx, tx, { network, now: server.ctx.clock() });
    return done(ca.id, ...entries);
  });
  return { networkID, signingCAID, pendingID };
}

const move = (id: string, to: CaState, { organizationID } = owner) =>
  server.ctx.audited(async (tx) => {
    const { ca, entries } = await moveCa(tx, { organizationID, id, to });
    if (to === "SIGNING") await setSigningCa(tx, ca);
    await bumpRevisions(tx, organizationID, [ca.network_id]);
    return done(ca, ...entries);
  });

const list = async (query: object = {}) => (await owner.call(listCertificateAuthorities, { query })).data;

async function stateOf(id: string): Promise<CaState | undefined> {
  return (await list({ pageSize: 500 })).find((ca) => ca.id === id)?.state;
}

/** An authority in that state, in a network of its own. */
async function inState(state: CaState): Promise<string> {
  const { signingCAID, pendingID } = await rotating();
  if (state === "PENDING") return pendingID;
  if (state === "SIGNING") return signingCAID;
  await move(pendingID, "SIGNING");
  if (state === "RETIRED") await move(signingCAID, "RETIRED");
  return signingCAID;
}

async function giveToHost(networkID: string, caID: string, expiresAt?: string): Promise<void> {
  const { id } = await owner.call(createHostV2, { body: { name: `host-${++made}`, networkID } });
  await server.query("update hosts set ca_id = $1, certificate_expires_at = $2 where id = $3", [
    caID,
    expiresAt ?? null,
    id,
  ]);
}

type Shown = { state?: string; signingCAID?: string } | null;
const shown = (snapshot: Shown) => snapshot?.state ?? snapshot?.signingCAID;

describe("the list", () => {
  it("shows the authority of every network, oldest first, and no more than is to be seen", async () => {
    const session = await server.signUp();
    const networks = [await makeNetwork(session), await makeNetwork(session)];
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
    const { networkID, signingCAID, pendingID } = await rotating();
    await giveToHost(networkID, signingCAID, "2027-06-02T00:00:00.000Z");
    await giveToHost(networkID, signingCAID, "2027-06-01T00:00:00.000Z");
    await giveToHost(networkID, pendingID);
    const listed = await list({ "filter.networkID": networkID });
    expect(listed.map((ca) => [ca.id, ca.hostCount, ca.firstCertificateExpiresAt])).toEqual([
      [signingCAID, 2, "2027-06-01T00:00:00.000Z"],
      [pendingID, 1, null],
    ]);
  });

  it("goes by pages, and counts when asked", async () => {
    const session = await server.signUp();
    for (let index = 0; index < 3; index++) await makeNetwork(session);
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
    const theirs = await makeNetwork(await server.signUp());
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

describe("an authority", () => {
  const legal = new Set(["PENDING SIGNING", "PENDING RETIRED", "SIGNING TRUSTED", "TRUSTED RETIRED"]);
  const moves = caStates.flatMap((from) => caStates.map((to) => [from, to] as const));

  it.each(moves)("that is %s may become %s only in the order of trust", (from, to) => {
    expect(canChangeState(from, to)).toBe(legal.has(`${from} ${to}`));
  });

  const illegal = moves.filter(
    ([from, to]) => !legal.has(`${from} ${to}`) && `${from} ${to}` !== "SIGNING RETIRED",
  );
  it.each(illegal)("that is %s can't become %s", async (from, to) => {
    const id = await inState(from);
    await expect(move(id, to)).rejects.toThrow(`${id} is ${from} and can't become ${to}`);
    expect(await stateOf(id)).toBe(from);
  });

  it("that signs goes on until another is put in charge", async () => {
    const id = await inState("SIGNING");
    await expect(move(id, "TRUSTED")).rejects.toThrow(`${id} signs for its network`);
    expect(await stateOf(id)).toBe("SIGNING");
  });

  it("that is put in charge sends the old one back among the trusted, in one step", async () => {
    const { networkID, signingCAID, pendingID } = await rotating();
    const [before] = await server.query<{ revision: string }>("select revision from networks where id = $1", [
      networkID,
    ]);
    await move(pendingID, "SIGNING");
    expect(await stateOf(signingCAID)).toBe("TRUSTED");
    expect(await stateOf(pendingID)).toBe("SIGNING");
    const [network] = await server.query<{ signing_ca_id: string; revision: string }>(
      "select signing_ca_id, revision from networks where id = $1",
      [networkID],
    );
    expect(network?.signing_ca_id).toBe(pendingID);
    expect(Number(network?.revision)).toBe(Number(before?.revision) + 1);

    const { data } = await owner.call(listAuditLogs, { query: { pageSize: 3 } });
    const seen = data.map(({ actor, target, event: { type, before, after } }) => [
      actor.type,
      target.type,
      target.id,
      type,
      shown(before as Shown),
      shown(after as Shown),
    ]);
    expect(seen.sort()).toEqual(
      [
        ["system", "ca", pendingID, "UPDATED", "PENDING", "SIGNING"],
        ["system", "ca", signingCAID, "UPDATED", "SIGNING", "TRUSTED"],
        ["system", "network", networkID, "SET_NETWORK_CA", signingCAID, pendingID],
      ].sort(),
    );
  });

  it("is let go when it is trusted, or was never put in charge, and no host has its certificate", async () => {
    for (const state of ["TRUSTED", "PENDING"] as const) {
      const id = await inState(state);
      expect((await move(id, "RETIRED")).state).toBe("RETIRED");
    }
  });

  it("that still signs is not let go", async () => {
    const id = await inState("SIGNING");
    await expect(move(id, "RETIRED")).rejects.toMatchObject({ message: "ERR_HAS_DEPENDENTS" });
    expect(await stateOf(id)).toBe("SIGNING");
  });

  it("is not let go while a host still has its certificate", async () => {
    const { networkID, signingCAID, pendingID } = await rotating();
    await move(pendingID, "SIGNING");
    await giveToHost(networkID, signingCAID);
    await expect(move(signingCAID, "RETIRED")).rejects.toMatchObject({ message: "ERR_HAS_DEPENDENTS" });
    await server.query("update hosts set ca_id = $1 where ca_id = $2", [pendingID, signingCAID]);
    expect((await move(signingCAID, "RETIRED")).state).toBe("RETIRED");
  });

  it("is not there for another organization", async () => {
    const stranger = await server.signUp();
    const id = await inState("PENDING");
    for (const to of caStates)
      await expect(move(id, to, stranger)).rejects.toMatchObject({ message: "ERR_NOT_FOUND" });
    expect(await stateOf(id)).toBe("PENDING");
  });
});

describe("two at once", () => {
  it("that are put in charge leave exactly one that signs", async () => {
    for (let round = 0; round < 5; round++) {
      const { networkID, pendingID } = await rotating();
      const outcomes = await Promise.allSettled([move(pendingID, "SIGNING"), move(pendingID, "SIGNING")]);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const signing = (await list({ "filter.networkID": networkID })).filter(
        ({ state }) => state === "SIGNING",
      );
      expect(signing.map(({ id }) => id)).toEqual([pendingID]);
    }
  });

  it("of which one puts in charge and one lets go end in one of the two", async () => {
    for (let round = 0; round < 5; round++) {
      const { networkID, signingCAID, pendingID } = await rotating();
      const [charge, letGo] = await Promise.allSettled([
        move(pendingID, "SIGNING"),
        move(pendingID, "RETIRED"),
      ]);
      expect([charge.status, letGo.status].sort()).toEqual(["fulfilled", "rejected"]);
      const [network] = await server.query<{ signing_ca_id: string }>(
        "select signing_ca_id from networks where id = $1",
        [networkID],
      );
      expect(network?.signing_ca_id).toBe(charge.status === "fulfilled" ? pendingID : signingCAID);
    }
  });
});

describe("the private key", () => {
  const place = (id: string) => ({ table: "certificate_authorities", column: "private_key", id });
  const sealedKeys = () =>
    server.query<{ id: string; private_key: Buffer }>("select id, private_key from certificate_authorities");

  it("opens in its place alone, and signs", async () => {
    const { signingCAID, pendingID } = await rotating();
    const keys = (await sealedKeys()).filter(({ id }) => id === signingCAID || id === pendingID);
    expect(keys).toHaveLength(2);
    for (const { id, private_key } of keys) {
      expect(createSigner(server.ctx.secrets.open(private_key, place(id))).publicKey).toHaveLength(32);
      const elsewhere = id === signingCAID ? pendingID : signingCAID;
      expect(() => server.ctx.secrets.open(private_key, place(elsewhere))).toThrow();
    }
  });

  it("is in no answer, no log line and no audit entry", async () => {
    const { pendingID } = await rotating();
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
