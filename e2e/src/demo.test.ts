/** Everything that the demo shows must agree: counts, lists, details, tunnels, certificates and the audit log. */
import { get } from "node:http";
import {
  type Client,
  createClient,
  type HostState,
  type HostV2,
  getAttention,
  getHostState,
  listApiKeys,
  listAuditLogs,
  listCertificateAuthorities,
  listGuarantees,
  listHostsV2,
  listMembers,
  listNetworks,
  listNetworksV2,
  listRoles,
  listRoutes,
  listTags,
  runHostCommand,
  verifyAuditLogs,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useBrowser } from "./browser.ts";
import { expectBlocksToBeAcknowledged } from "./demo-blocks.ts";
import { expectConfigToAgree } from "./demo-configs.ts";
import {
  expectAuditLinksToWork,
  expectHealthToAgree,
  expectHostPagesToAgree,
  expectListOf,
  expectMapsToAgree,
  expectWholePages,
} from "./demo-pages.ts";
import { DemoVisitor } from "./demo-visitor.ts";
import { recordShifts, SHIFT_MAX } from "./layout-shifts.ts";
import { DEMO, type ServerProcess, startServer, temporaryDataDir } from "./server-process.ts";
import { until } from "./until.ts";

/** The first start lets a year pass. */
const START_SECONDS_MAX = 300;
const REPORT_SECONDS_MAX = 120;
/** A busy machine needs longer for all pages. */
const CRAWL_MS_MAX = 600_000;

const { dataDir, remove } = temporaryDataDir();
let demo: ServerProcess;
let call: Client;
let hosts: HostV2[];
let states: Map<string, HostState>;

const loginLink = () => /is ready: (\S+)/.exec(demo.output())?.[1] ?? "";

async function logIn(): Promise<Client> {
  const response = await fetch(loginLink(), { redirect: "manual" });
  const tokens = response.headers.getSetCookie().map((cookie) => cookie.split(/[=;]/)[1]);
  return createClient({ baseURL: demo.url, authorization: () => `Bearer ${tokens.join(" ")}` });
}

async function listAllHosts(): Promise<HostV2[]> {
  const { data } = await call(listHostsV2, { query: { pageSize: 500 } });
  return data;
}

const countOf = async (query: object) =>
  (await call(listHostsV2, { query: { ...query, includeCounts: true, pageSize: 1 } })).metadata.totalCount;

async function readStates(): Promise<Map<string, HostState>> {
  const found = await Promise.all(hosts.map(({ id }) => call(getHostState, { params: { hostID: id } })));
  return new Map(found.map((state) => [state.hostID, state]));
}

const has = (host: HostV2, status: HostV2["metadata"]["statuses"][number]) =>
  host.metadata.statuses.includes(status);

beforeAll(
  async () => {
    demo = await startServer({ program: DEMO, dataDir, readySeconds: START_SECONDS_MAX });
    call = await logIn();
    const isReported = async () => {
      hosts = await listAllHosts();
      states = await readStates();
      return hosts.filter((host) => has(host, "online")).every(({ id }) => states.get(id)?.tunnels.length);
    };
    await until("every running host has reported its tunnels", isReported, {
      seconds: REPORT_SECONDS_MAX,
      everyMs: 2000,
    });
  },
  (START_SECONDS_MAX + REPORT_SECONDS_MAX) * 1000,
);
afterAll(async () => {
  await demo.stop();
  remove();
});

describe("the hosts of the demo", () => {
  it("are 200 in three networks, of every kind and state", async () => {
    expect(hosts).toHaveLength(200);
    expect((await call(listNetworks)).data.map(({ name }) => name).sort()).toEqual([
      "Corporate",
      "Production",
      "Staging",
    ]);
    expect(hosts.filter(({ isLighthouse }) => isLighthouse)).toHaveLength(6);
    const counts = Object.fromEntries(
      (["neverEnrolled", "blocked", "drifted", "expiring"] as const).map((status) => [
        status,
        hosts.filter((host) => has(host, status)).length,
      ]),
    );
    expect(counts).toEqual({ neverEnrolled: 11, blocked: 4, drifted: 1, expiring: 2 });
  });

  it.each(["online", "offline", "neverEnrolled", "blocked", "expiring", "drifted"] as const)(
    "are %s in the list as in the count",
    async (status) => {
      const { data } = await call(listHostsV2, { query: { "filter.status": status, pageSize: 500 } });
      expect(await countOf({ "filter.status": status })).toBe(data.length);
    },
  );

  it("run what they should run, except for the one that is out of sync", () => {
    for (const host of hosts.filter((candidate) => has(candidate, "online"))) {
      const state = states.get(host.id);
      expect([host.name, state?.runningHash === state?.intendedHash]).toEqual([
        host.name,
        !has(host, "drifted"),
      ]);
      expect(state?.nebulaVersion).toBe(host.metadata.agent?.nebulaVersion);
      expect(state?.system).not.toBeNull();
    }
    const drifted = hosts.find((host) => has(host, "drifted"));
    expect(states.get(drifted?.id ?? "")?.error).toContain("rejected");
  });

  it("have the certificate that the list shows, from the CA of their network", async () => {
    const { data } = await call(listCertificateAuthorities);
    const networkOf = new Map(data.map(({ id, networkID }) => [id, networkID]));
    for (const host of hosts) {
      const certificate = states.get(host.id)?.certificate;
      expect(certificate?.notAfter ?? null).toBe(host.metadata.certificateExpiresAt);
      if (certificate) expect(networkOf.get(certificate.certificateAuthorityID)).toBe(host.networkID);
    }
    const certified = hosts.filter(({ id }) => states.get(id)?.certificate).length;
    expect(data.reduce((sum, { hostCount }) => sum + hostCount, 0)).toBe(certified);
  });

  it("have tunnels that both ends report, also with their relays", () => {
    const byID = new Map(hosts.map((host) => [host.id, host]));
    let relayed = 0;
    for (const host of hosts.filter((candidate) => has(candidate, "online")))
      for (const tunnel of states.get(host.id)?.tunnels ?? []) {
        const peer = byID.get(tunnel.hostID ?? "");
        expect([host.name, peer && has(peer, "online")]).toEqual([host.name, true]);
        const back = states.get(peer?.id ?? "")?.tunnels.find(({ hostID }) => hostID === host.id);
        expect([host.name, peer?.name, back?.path]).toEqual([host.name, peer?.name, tunnel.path]);
        if (tunnel.path === "relayed") relayed += 1;
        for (const relay of tunnel.relays ?? []) expect(byID.get(relay.hostID ?? "")?.isRelay).toBe(true);
      }
    expect(relayed).toBeGreaterThan(5);
  });

  it("acknowledge a block within seconds", () => expectBlocksToBeAcknowledged(call, hosts));

  it("refuse the certificates of the blocked hosts in their network", () => {
    for (const host of hosts.filter((candidate) => has(candidate, "online") && !has(candidate, "drifted"))) {
      const blocked = hosts.filter(({ isBlocked, networkID }) => isBlocked && networkID === host.networkID);
      const refused = states.get(host.id)?.config.match(/^ {4}- "[0-9a-f]{64}"$/gm) ?? [];
      expect([host.name, refused.length >= blocked.length]).toEqual([host.name, true]);
    }
  });

  it("have the lighthouses, relays, routes and rules in their configuration that the lists show", async () => {
    const { data } = await call(listNetworksV2);
    const networks = new Map(data.map((network) => [network.id, network]));
    for (const host of hosts.filter((candidate) => has(candidate, "online")))
      expectConfigToAgree(host, states.get(host.id)!, { hosts, network: networks.get(host.networkID)! });
  });

  it("answer debug commands", async () => {
    const host = hosts.find((candidate) => has(candidate, "online"))!;
    const target = states.get(host.id)?.tunnels[0]?.vpnIp ?? "";
    const run = (command: "PrintTunnel" | "PrintCert" | "QueryLighthouse") =>
      call(runHostCommand, { params: { hostID: host.id }, body: { command, args: { target } } });
    expect(await run("PrintTunnel")).toMatchObject({ vpnIp: target });
    expect(await run("PrintCert")).toMatchObject({ details: { isCa: false } });
    expect(Object.keys((await run("QueryLighthouse")) as object).length).toBeGreaterThan(0);
  });
});

describe("the pages of the demo", () => {
  const visit = useBrowser();
  const workspace = () => ({ url: demo.url, loginLink: loginLink(), call, hosts });
  let visitor: DemoVisitor;
  beforeAll(async () => {
    visitor = await DemoVisitor.logIn(visit, workspace());
  });

  it(
    "all open, and none has a word for missing data",
    () => expectWholePages(visitor, workspace()),
    CRAWL_MS_MAX,
  );
  it("count as many hosts in each state as their list has", () => expectHealthToAgree(visitor));
  it("show each host as the list does", () => expectHostPagesToAgree(visitor, workspace()));
  it("have every host of a network on its map", () => expectMapsToAgree(visitor, workspace()));
  it("lead from the audit log to what was changed", () => expectAuditLinksToWork(visitor));

  it.each([
    ["/roles", "Roles", listRoles],
    ["/tags", "Tags", listTags],
    ["/routes", "Routes", listRoutes],
    ["/guarantees", "Guarantees", listGuarantees],
    ["/settings/networks", "Networks", listNetworks],
    ["/settings/api-keys", "API keys", listApiKeys],
    ["/settings/members", "Members", listMembers],
  ] as const)("count what they list: %s", async (path, name, list) => {
    const { data } = await call(list, { query: {} });
    await expectListOf(visitor, { path, name, count: data.length });
  });

  it.each([1280, 412])("load the list of hosts without layout shifts at %i px", async (width) => {
    const { page, waitUntilQuiet } = await DemoVisitor.logIn(visit, workspace(), { width });
    const readShift = await recordShifts(page);
    await page.goto("/hosts");
    await page.getByRole("region", { name: /^Needs attention/ }).waitFor();
    await waitUntilQuiet();
    expect(await readShift()).toBeLessThanOrEqual(SHIFT_MAX);
    await page.close();
  });
});

describe("the audit log of the demo", () => {
  const entriesAbout = async (targetID: string) =>
    (await call(listAuditLogs, { query: { "filter.targetID": targetID, pageSize: 100 } })).data;

  it("has the creation, the enrollment and the block of a host at the times that its page shows", async () => {
    const samples = hosts.filter((host, index) => host.isBlocked || index % 40 === 0);
    for (const host of samples) {
      const entries = await entriesAbout(host.id);
      const types = new Set(entries.map(({ event }) => event.type));
      const created = entries.find(({ event }) => event.type === "CREATED");
      expect(Math.abs(Date.parse(created?.timestamp ?? "") - Date.parse(host.createdAt))).toBeLessThan(5000);
      expect([host.name, types.has("ENROLLED")]).toEqual([host.name, !has(host, "neverEnrolled")]);
      expect([host.name, types.has("BLOCKED_HOST")]).toEqual([host.name, host.isBlocked]);
    }
  });

  it("is complete and unchanged, and was written by several people and an API key", async () => {
    await until("the entries are in the hash chain", async () => (await call(verifyAuditLogs)).ok);
    const { data } = await call(listAuditLogs, { query: { pageSize: 500 } });
    const actors = new Set(data.map(({ actor }) => actor.type));
    expect([...actors]).toEqual(expect.arrayContaining(["user", "apiKey", "host"]));
    const roles = (await call(listMembers)).data.map(({ role }) => role);
    expect(new Set(roles)).toEqual(new Set(["owner", "administrator", "auditor"]));
  });

  it("has guarantees that hold and one that fails, and the same in what needs attention", async () => {
    const { items, health } = await call(getAttention, { query: {} });
    expect(items.map(({ type }) => type)).toContain("GUARANTEE_FAILING");
    expect(health.online + health.offline + health.neverEnrolled + health.blocked).toBe(hosts.length);

    const { data } = await call(listGuarantees);
    expect(data.map(({ state }) => state)).toEqual(["failing", "holds", "holds"]);
  });
});

it("says that it is a demo, above every page", async () => {
  const page = await (await fetch(`${demo.url}/hosts`)).text();
  expect(page).toContain('<aside class="notice-bar" aria-label="Notice">This is a demo.');
});

describe("the login link of the demo", () => {
  const cookiesAt = (url: string, host = "localhost") =>
    new Promise<readonly string[]>((resolve, reject) => {
      get(url, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.headers["set-cookie"] ?? []);
      }).once("error", reject);
    });

  it("logs in on this machine only, and can't be guessed", async () => {
    expect(await cookiesAt(loginLink())).toHaveLength(2);
    expect(await cookiesAt(`${demo.url}/demo/guessed`)).toEqual([]);
    expect(await cookiesAt(loginLink(), "demo.example.com")).toEqual([]);
  });
});

it("keeps the organization at the next start, and its agents reconnect", async () => {
  const onlineBefore = hosts.filter((host) => has(host, "online")).length;
  await demo.kill();
  demo = await startServer({ program: DEMO, dataDir });
  call = await logIn();
  await until("the agents have reported again", async () => {
    hosts = await listAllHosts();
    const now = Date.now();
    const isRecent = ({ metadata }: HostV2) => now - Date.parse(metadata.lastSeenAt ?? "") < 60_000;
    return hosts.filter(isRecent).length >= onlineBefore - 1;
  });
  expect(hosts).toHaveLength(200);
});
