import { createNetwork, verifyAuditLogs } from "@lightkeeper/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBackground } from "../../app/background.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { canonicalJson, CHAIN_START, type ChainedEntry, chainHash } from "./chain.ts";

describe("canonical JSON", () => {
  const shuffle = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffle);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffle(item)]),
    );
  };

  it("is JSON of the same value, whatever the order of its keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(shuffle(value))).toBe(text);
      }),
    );
  });

  it("differs for different values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const same = JSON.stringify(shuffle(one)) === JSON.stringify(shuffle(other));
        if (same) expect(canonicalJson(one)).toBe(canonicalJson(other));
        if (canonicalJson(one) === canonicalJson(other))
          expect(JSON.parse(canonicalJson(one))).toEqual(JSON.parse(JSON.stringify(other)));
      }),
    );
  });

  it("sorts keys at every level", () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: "\u2028" })).toBe(
      '{"a":"\u2028","b":[{"c":null,"d":1}]}',
    );
  });
});

describe("the hash of an entry", () => {
  const entry = {
    sequence: 1,
    id: "log-A",
    organizationID: "org-A",
    timestamp: "2026-11-01T09:00:00.000001Z",
    actor: { type: "user", id: "user-A", email: "ada@example.com" },
    targetType: "role",
    targetID: "role-A",
    eventType: "CREATED",
    before: null,
    after: { name: "Ops", firewallRules: [] },
  };
  const hashOf = (one: ChainedEntry) => chainHash(CHAIN_START, one).toString("hex");

  it("without an IP address stays the same as in earlier versions", () => {
    expect(hashOf(entry)).toBe("0d6ede7fa9785448b572380ee3ea91671b3c739f203f3c0cee1a633480b9b780");
  });

  it("covers the IP address", () => {
    const hashes = [{}, { actorAddress: "192.0.2.1" }, { actorAddress: "192.0.2.2" }].map((more) =>
      hashOf({ ...entry, ...more }),
    );
    expect(new Set(hashes).size).toBe(3);
  });
});

describe("the chain of an organization", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  const sealAll = async (by: TestServer = server) => {
    while ((await by.ctx.seal()) > 0);
  };
  const verify = (owner: Session) => owner.call(verifyAuditLogs);

  /** An organization with eight sealed entries. */
  async function sealedOwner(): Promise<Session> {
    const owner = await server.signUp();
    await owner.call(createNetwork, { body: { name: "Sealed" } });
    await sealAll();
    expect(await verify(owner)).toMatchObject({ ok: true, entries: 8 });
    return owner;
  }

  it("is empty and valid before anything is sealed", async () => {
    const owner = await server.signUp();
    expect(await verify(owner)).toEqual({ ok: true, entries: 0, head: null });
  });

  it("grows by every entry in order, and updates its head", async () => {
    const owner = await sealedOwner();
    const first = await verify(owner);
    await owner.call(createNetwork, { body: { name: "More" } });
    await sealAll();
    const second = await verify(owner);
    expect(second).toMatchObject({
      ok: true,
      entries: 11,
      head: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(second).not.toEqual(first);
    const sequences = await server.query<{ sequence: string }>(
      "select sequence from audit_logs where organization_id = $1 order by created_at, id",
      [owner.organizationID],
    );
    expect(sequences.map(({ sequence }) => Number(sequence))).toEqual(
      Array.from({ length: 11 }, (_, index) => index + 1),
    );
  });

  const ofSequence = "where organization_id = $1 and sequence = $2";
  const place = (owner: Session, sequence: number) => [owner.organizationID, sequence];
  const idOf = async (owner: Session, sequence: number) =>
    (await server.query<{ id: string }>(`select id from audit_logs ${ofSequence}`, place(owner, sequence)))[0]
      ?.id;

  it.each([
    ["actor", `'{"type":"system"}'`],
    ["target_id", "'network-other'"],
    ["target_type", "'tag'"],
    ["event_type", "'UPDATED'"],
    ["before", `'{"name":"x"}'`],
    ["after", "null"],
    ["actor_address", "'192.0.2.1'"],
    ["actor_address", "null"],
    ["created_at", "created_at + interval '1 microsecond'"],
    ["hash", "sha256('x')"],
  ])("detects a changed %s", async (column, value) => {
    const owner = await sealedOwner();
    const firstBroken = await idOf(owner, 3);
    await server.query(`update audit_logs set ${column} = ${value} ${ofSequence}`, place(owner, 3));
    expect(await verify(owner)).toEqual({ ok: false, firstBroken });
  });

  it("detects a deleted entry at its start and in its middle", async () => {
    for (const sequence of [1, 4]) {
      const owner = await sealedOwner();
      const firstBroken = await idOf(owner, sequence + 1);
      await server.query(`delete from audit_logs ${ofSequence}`, place(owner, sequence));
      expect(await verify(owner)).toEqual({ ok: false, firstBroken });
    }
  });

  it("detects a missing tail, and that all entries are missing", async () => {
    const owner = await sealedOwner();
    await server.query("delete from audit_logs where organization_id = $1 and sequence > 6", [
      owner.organizationID,
    ]);
    expect(await verify(owner)).toEqual({ ok: false, firstBroken: "sequence 7" });
    await server.query("delete from audit_logs where organization_id = $1", [owner.organizationID]);
    expect(await verify(owner)).toEqual({ ok: false, firstBroken: "sequence 1" });
  });

  it("detects an inserted entry", async () => {
    const owner = await sealedOwner();
    await server.query(
      "update audit_logs set sequence = sequence + 100 where organization_id = $1 and sequence > 5",
      [owner.organizationID],
    );
    await server.query(
      "update audit_logs set sequence = sequence - 99 where organization_id = $1 and sequence > 5",
      [owner.organizationID],
    );
    await server.query(
      `insert into audit_logs select 'log-inserted', organization_id, created_at, actor, target_type, target_id,
         event_type, before, after, 6, hash from audit_logs ${ofSequence}`,
      place(owner, 5),
    );
    expect(await verify(owner)).toEqual({ ok: false, firstBroken: "log-inserted" });
  });

  it("detects two swapped entries, and an entry moved from another organization", async () => {
    const owner = await sealedOwner();
    await server.query(
      `update audit_logs a set actor = b.actor, target_type = b.target_type, target_id = b.target_id, event_type = b.event_type
       from audit_logs b where a.organization_id = $1 and b.organization_id = $1 and a.sequence in (2, 3)
         and b.sequence = 5 - a.sequence`,
      [owner.organizationID],
    );
    expect(await verify(owner)).toMatchObject({ ok: false });
    const [victim, source] = [await sealedOwner(), await sealedOwner()];
    await server.query(`delete from audit_logs ${ofSequence}`, place(victim, 2));
    await server.query(
      "update audit_logs set organization_id = $3 where organization_id = $1 and sequence = $2",
      [...place(source, 2), victim.organizationID],
    );
    expect(await verify(victim)).toMatchObject({ ok: false });
    expect(await verify(source)).toMatchObject({ ok: false });
  });

  it("is not affected by writes of other organizations", async () => {
    const owner = await sealedOwner();
    const before = await verify(owner);
    await sealedOwner();
    expect(await verify(owner)).toEqual(before);
  });

  it("stays one chain when two servers seal and write concurrently", async () => {
    const second = await startTestServer({ database: server.database });
    try {
      const owner = await server.signUp();
      const call = second.client(owner.userToken, owner.authToken);
      let writing = true;
      const sealing = [server, second].map(async (by) => {
        while (writing) await by.ctx.seal();
      });
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? owner.call : call)(createNetwork, { body: { name: `Network ${index}` } }),
        ),
      );
      writing = false;
      await Promise.all(sealing);
      await sealAll(second);
      expect(await verify(owner)).toMatchObject({ ok: true, entries: 5 + 20 * 3 });
    } finally {
      await second.close();
    }
  });

  it("includes a committed entry soon, and the rest at shutdown", async () => {
    const stop = startBackground(server.ctx);
    const owner = await server.signUp();
    await expect.poll(() => verify(owner), { timeout: 10_000 }).toMatchObject({ ok: true, entries: 5 });
    await owner.call(createNetwork, { body: { name: "Last" } });
    await stop();
    expect(await verify(owner)).toMatchObject({ ok: true, entries: 8 });
  });
});
