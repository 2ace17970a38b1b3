import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  createNetwork,
  createRole,
  EXPORT_COUNT_HEADER,
  exportAuditLogs,
  listAuditLogs,
  pathOf,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { insertSsoUser } from "../../testing/sso-users.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { csvLine } from "./export.ts";

let server: TestServer;
let directory: string;
beforeAll(async () => {
  server = await startTestServer();
  directory = mkdtempSync(join(tmpdir(), "lightkeeper-export-"));
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

/** As strict as RFC 4180: every line ends with CRLF, and a quote is doubled or at a cell's edge. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let rest = text;
  while (rest !== "") {
    const cell = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (!cell) throw new Error(`Not CSV: ${rest.slice(0, 40)}`);
    rows.at(-1)?.push(cell[1]?.replaceAll('""', '"') ?? cell[2] ?? "");
    if (cell[3] === "\r\n") rows.push([]);
    rest = rest.slice(cell[0].length);
  }
  return rows.slice(0, -1);
}

const header = "timestamp,id,actorType,actor,action,targetType,targetID,before,after".split(",");

describe("a cell", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])(
    "that starts like a formula is escaped: %j",
    (text) => {
      expect(readCsv(csvLine([text, "x"]))).toEqual([[`'${text}`, "x"]]);
    },
  );

  it("may contain separators, quotes and line breaks, or be empty", () => {
    const cells = ['a,"b"', "one\r\ntwo", "", "ü <script>"];
    expect(readCsv(csvLine(cells))).toEqual([cells]);
  });
});

describe("the export as CSV", () => {
  it("has the log's entries, newest first, with their number before it begins [S3.7] [S7.26]", async () => {
    const owner = await server.signUp();
    const body = { name: '=cmd|"/c calc"!A1', description: 'a,"b"\r\nc' };
    const role = await owner.call(createRole, { body });
    const response = await owner.call(exportAuditLogs);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [first, ...rows] = readCsv(await response.text());
    const { data } = await owner.call(listAuditLogs, { query: { pageSize: 500 } });
    expect(first).toEqual(header);
    expect(rows.map(([timestamp, id]) => [timestamp, id])).toEqual(
      data.map(({ timestamp, id }) => [timestamp, id]),
    );
    expect(response.headers.get(EXPORT_COUNT_HEADER)).toBe(String(rows.length));
    const { timestamp, id } = data[0]!;
    const after = { ...body, firewallRules: [] };
    const [made] = rows;
    expect(made?.slice(0, -1)).toEqual([timestamp, id, "user", owner.email, "CREATED", "role", role.id, ""]);
    expect(JSON.parse(made?.at(-1) ?? "")).toEqual(after);
  });

  it("can be filtered by type, object and time, and has no entries of other organizations", async () => {
    const owner = await server.signUp();
    const network = await owner.call(createNetwork, { body: { name: "Kept" } });
    await server.query(
      "update audit_logs set created_at = created_at - interval '8 days' where target_id = $1 and event_type = 'CREATED'",
      [network.id],
    );
    const actions = async (query: object, by: Session = owner) => {
      const [, ...rows] = readCsv(await (await by.call(exportAuditLogs, { query })).text());
      return rows.map((row) => row[4]);
    };
    expect(await actions({ targetType: "network" })).toEqual(["SET_NETWORK_CA", "CREATED"]);
    expect(await actions({ targetId: network.id, timeFrame: "7d" })).toEqual(["SET_NETWORK_CA"]);
    expect(await actions({ targetId: network.id, timeFrame: "30d" })).toHaveLength(2);
    expect(await actions({ targetType: "ca", targetId: network.id })).toEqual([]);
    expect(await actions({ targetId: network.id }, await server.signUp())).toEqual([]);
  });

  it("is available to people, including auditors, but not to API keys", async () => {
    const owner = await server.signUp();
    const token = await insertSsoUser(server, owner, "auditor");
    expect((await server.client(token)(exportAuditLogs)).status).toBe(200);
    expect(await errorsOf(server.client()(exportAuditLogs))).toMatchObject([{ code: "ERR_UNAUTHORIZED" }]);
  });

  it("rejects unknown parameters, and filters of the chain", async () => {
    const { call } = await server.signUp();
    const rejected = async (query: object) =>
      (await errorsOf(call(exportAuditLogs, { query }))).map(({ path }) => path);
    expect(await rejected({ timeFrame: "1y" })).toEqual(["timeFrame"]);
    expect(await rejected({ targetType: "dog" })).toEqual(["targetType"]);
    expect(await rejected({ format: "ndjson", targetId: "x", timeFrame: "7d" })).toEqual([
      "targetId",
      "timeFrame",
    ]);
  });
});

/** Creates an organization with the given number of audit entries of 4 KB each. */
async function longLog(entries: number): Promise<Session> {
  const owner = await server.signUp();
  await server.query(
    `insert into audit_logs (id, organization_id, actor, target_type, target_id, event_type, after)
     select 'log-' || lpad(n::text, 26, 'A'), $1, '{"type":"system"}', 'network', 'network-' || n, 'UPDATED',
       jsonb_build_object('description', repeat(md5(n::text), 128))
     from generate_series(1, $2::int) n`,
    [owner.organizationID, entries],
  );
  return owner;
}

describe("a reader that does not keep up", () => {
  const ENTRIES = 10_000;
  let owner: Session;
  beforeAll(async () => {
    owner = await longLog(ENTRIES);
  });

  /** A response that isn't read yet, and the server's side of its connection once it is blocked. */
  async function stalled(): Promise<{ response: IncomingMessage; socket: Socket }> {
    const accepted = new Promise<Socket>((resolve) => server.app.http.server.once("connection", resolve));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}`, connection: "close" };
      get(server.url + pathOf(exportAuditLogs), { headers, agent: false }, resolve).on("error", reject);
    });
    const socket = await accepted;
    for (let written = -1; written !== socket.bytesWritten; await sleep(300)) written = socket.bytesWritten;
    return { response, socket };
  }

  it("gets everything, and the server reads no faster than the client", async () => {
    const { response, socket } = await stalled();
    expect(socket.writableLength).toBeLessThan(8 * 1024 * 1024);
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    expect(Buffer.byteLength(text)).toBeGreaterThan(40_000_000);
    expect(text.split("\r\n").length - 2).toBe(Number(response.headers[EXPORT_COUNT_HEADER]));
  });

  it("stops the export when it disconnects", async () => {
    const { response, socket } = await stalled();
    expect(socket.bytesWritten).toBeLessThan(30_000_000);
    response.destroy();
    await vi.waitFor(() => expect(socket.destroyed).toBe(true));
    await vi.waitFor(() => {
      const { pool } = server.ctx;
      expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]);
    });
    expect(socket.bytesWritten).toBeLessThan(30_000_000);
  });

  it("does not keep a server from stopping", async () => {
    const other = await startTestServer({ database: server.database });
    const accepted = new Promise<Socket>((resolve) => other.app.http.server.once("connection", resolve));
    const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
    const response = await new Promise<IncomingMessage>((resolve) =>
      get(other.url + pathOf(exportAuditLogs), { headers, agent: false }, resolve),
    );
    response.on("error", () => undefined);
    const socket = await accepted;
    await other.close();
    expect(socket.destroyed).toBe(true);
  });

  it("that sends a HEAD request causes no reads", async () => {
    const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
    const response = await fetch(server.url + pathOf(exportAuditLogs), { method: "HEAD", headers });
    expect(Number(response.headers.get(EXPORT_COUNT_HEADER))).toBeGreaterThan(ENTRIES);
  });
});

describe("the exported chain", () => {
  const script = join(import.meta.dirname, "../../../../scripts/verify-audit-log.mjs");
  let headers: Headers;
  let lines: string[];
  let head: string;
  beforeAll(async () => {
    const owner = await server.signUp();
    await owner.call(createNetwork, { body: { name: 'Sealed "x" ü' } });
    while ((await server.ctx.seal()) > 0);
    const response = await owner.call(exportAuditLogs, { query: { format: "ndjson" } });
    headers = response.headers;
    lines = (await response.text()).trimEnd().split("\n");
    ({ head } = JSON.parse(lines[0] ?? "") as { head: string });
  });

  /** Runs the script alone, in an empty directory; returns its output and exit code. */
  async function verify(content: readonly string[], ...more: string[]): Promise<[number, string]> {
    const copy = join(directory, "verify-audit-log.mjs");
    writeFileSync(copy, readFileSync(script));
    const file = join(directory, "log.ndjson");
    writeFileSync(file, content.map((line) => `${line}\n`).join(""));
    const run = promisify(execFile)(process.execPath, [copy, file, ...more], { cwd: directory, env: {} });
    return run.then(
      ({ stdout }) => [0, stdout],
      (error: { code: number; stderr: string }) => [error.code, error.stderr],
    );
  }
  const changed = (place: number, change: (line: string) => string) =>
    lines.map((line, index) => (index === place ? change(line) : line));

  it("can be verified offline, also against an earlier head", async () => {
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    expect(headers.get(EXPORT_COUNT_HEADER)).toBe("8");
    const [code, words] = await verify(lines);
    expect([code, words]).toEqual([0, expect.stringContaining("ok: 8 entries")]);
    expect(words).toContain(`head ${head}`);
    const { hash: earlier } = JSON.parse(lines[3] ?? "") as { hash: string };
    expect((await verify(lines, earlier))[0]).toBe(0);
    expect(await verify(lines, "0".repeat(64))).toEqual([
      1,
      expect.stringContaining("the log was rewritten"),
    ]);
  });

  it.each<[string, () => string[], string]>([
    ["a changed value", () => lines.map((line) => line.replace("Sealed", "Seeled")), "has been changed"],
    [
      "a changed address",
      () => changed(2, (line) => line.replace("127.0.0.1", "127.0.0.2")),
      "has been changed",
    ],
    [
      "a removed address",
      () => changed(2, (line) => line.replace(',"actorAddress":"127.0.0.1"', "")),
      "has been changed",
    ],
    ["a missing entry", () => lines.toSpliced(3, 1), "entry 3 is missing"],
    ["a truncated log", () => lines.slice(0, -1), "the log has 8 entries, but the file has 7"],
    ["entries in another order", () => [...lines.slice(0, -2), lines.at(-1)!, lines.at(-2)!], "is missing"],
    ["a duplicate entry", () => [...lines, lines.at(-1)!], "is missing"],
    ["an incomplete line", () => changed(8, (line) => line.slice(0, 40)), "line 9 isn't an entry"],
    [
      "a head of another log",
      () => changed(0, (line) => line.replace(head, "f".repeat(64))),
      "isn't the head of the log",
    ],
    ["an empty file", () => [], "empty"],
    ["another kind of file", () => ['{"hello":1}'], "isn't an audit log"],
  ])("fails verification with %s", async (_what, content, message) => {
    expect(await verify(content())).toEqual([1, expect.stringContaining(message)]);
  });

  it("shows where a log was tampered with in the database", async () => {
    const owner = await server.signUp();
    while ((await server.ctx.seal()) > 0);
    await server.query("delete from audit_logs where organization_id = $1 and sequence = 2", [
      owner.organizationID,
    ]);
    const response = await owner.call(exportAuditLogs, { query: { format: "ndjson" } });
    const content = (await response.text()).trimEnd().split("\n");
    expect(await verify(content)).toEqual([1, expect.stringContaining("entry 2 is missing")]);
  });

  it("exists for an empty log too", async () => {
    const { call } = await server.signUp();
    const response = await call(exportAuditLogs, { query: { format: "ndjson" } });
    expect((await verify([(await response.text()).trimEnd()]))[0]).toBe(0);
  });
});
