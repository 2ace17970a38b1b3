/** Checks that the private keys of CAs and of response signatures never leave the server. */
import { Writable } from "node:stream";
import {
  createNetwork,
  createRoute,
  getCaRotation,
  getHostState,
  listAuditLogs,
  listCertificateAuthorities,
  rotateCa,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { stepRotations } from "./ca-rotations.service.ts";

let server: TestServer;
let owner: Session;
const responses: string[] = [];
const logged: string[] = [];

beforeAll(async () => {
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", async (...args: Parameters<typeof fetch>) => {
    const response = await fetch(...args);
    responses.push(await response.clone().text());
    return response;
  });
  const logTo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  server = await startTestServer({ agentPollMs: 50, logTo, environment: { LOG_LEVEL: "trace" } });
  owner = await server.signUp();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.close();
});

async function openedKeys(): Promise<Buffer[]> {
  const rows = await server.query<{ table: string; id: string; private_key: Buffer }>(
    `select 'certificate_authorities' as table, id, private_key from certificate_authorities
     union all select 'signing_keys', organization_id, private_key from signing_keys`,
  );
  return rows.map(({ table, id, private_key }) =>
    server.ctx.secrets.open(private_key, { table, column: "private_key", id }),
  );
}

/** Yields the text and everything in it that is base64, decoded recursively. */
function* layersOf(text: string, depth = 0): Generator<string> {
  yield text;
  if (depth === 5) return;
  for (const [token] of text.matchAll(/[\w+/-]{24,}={0,2}/g))
    yield* layersOf(Buffer.from(token, "base64").toString("latin1"), depth + 1);
}

function reveals(text: string, keys: readonly Buffer[]): boolean {
  // A key's first half is its seed; the second may be public.
  const seeds = keys.map((key) => key.subarray(0, 32));
  const forms = seeds.flatMap((seed) =>
    (["latin1", "hex", "base64", "base64url"] as const).map((encoding) => seed.toString(encoding)),
  );
  for (const layer of layersOf(text)) if (forms.some((form) => layer.includes(form))) return true;
  return false;
}

it("private keys are in no response to a person or an agent, and in no log line", async () => {
  const fleet = await createFleet(server, owner);
  const host = await fleet.add({ name: "router", tags: ["a:b"] });
  const agent = await TestAgent.enrollHost(server.url, owner, host.id);
  await agent.report({ configHash: "other", error: "something went wrong" });
  await owner.call(updateHostV3, { params: { hostID: host.id }, body: { tags: [] } });
  await owner.call(createRoute, {
    body: { name: "Lan", routerHostID: host.id, routableCIDRs: { "192.168.7.0/24": { install: true } } },
  });
  await agent.update("DoUpdate");
  const params = { networkID: fleet.networkID };
  await owner.call(rotateCa, { params, body: {} });
  for (const kind of ["DoConfigUpdate", "DoUpdate", "DoConfigUpdate"] as const) {
    await agent.update(kind);
    await agent.hasUpdate();
    await stepRotations(server.ctx);
  }
  await owner.call(getCaRotation, { params });
  await owner.call(getHostState, { params: { hostID: host.id } });
  await owner.call(listCertificateAuthorities);
  await owner.call(listAuditLogs);
  await agent.send("DoUpdate", { edPubkeyPEM: "AAAA", nonce: "AAAA" });
  await agent.send("Nonsense");
  await owner.call(createNetwork, { body: { name: "" } }).catch(() => undefined);

  const keys = await openedKeys();
  expect(keys.length).toBeGreaterThanOrEqual(3);
  expect(responses.length).toBeGreaterThan(20);
  expect(logged.length).toBeGreaterThan(20);
  for (const text of [...responses, ...logged]) expect(reveals(text, keys)).toBe(false);
  const [key] = keys as [Buffer];
  expect(reveals(Buffer.from(JSON.stringify({ pem: key.toString("base64") })).toString("base64"), keys)).toBe(
    true,
  );
});
