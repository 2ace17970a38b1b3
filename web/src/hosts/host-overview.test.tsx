import {
  getBlockProgress,
  getHostAccess,
  getHostState,
  getHostTraffic,
  getHostV2,
  getNetworkV2,
  listNetworksV2,
  listRoles,
  whoami,
  type BlockProgress,
  type HostState,
  type HostTraffic,
  type HostV2,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { routes } from "../app/router.tsx";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host, network, role, user as person } from "../testing/samples.ts";
import { page, transport } from "../testing/transport.ts";

beforeEach(signIn);

const peerID = `host-${"C".repeat(26)}`;
const relayID = `host-${"D".repeat(26)}`;
const driftedID = `host-${"E".repeat(26)}`;
const routeID = `route-${"A".repeat(26)}`;
const notReported = { path: null, remoteAddress: null, relays: [], handshakeAt: null, latencyMs: null };
const state: HostState = {
  hostID: host.id,
  config: "pki: {}\n",
  intendedHash: "ab".repeat(32),
  runningHash: "ab".repeat(32),
  runningConfig: null,
  isDrifted: false,
  reportedAt: "2026-11-15T08:58:00Z",
  appliedAt: "2026-11-15T08:00:00Z",
  error: null,
  nebulaVersion: "1.9.5",
  certificate: null,
  tunnels: [],
  system: null,
  publicEndpoints: [],
  rules: [],
  routesServed: [],
  routesUsed: [],
  omitted: [],
  wider: [],
};
const gap = Array.from({ length: 96 }, (): number | null => null);
const traffic: HostTraffic = {
  hostID: host.id,
  startsAt: "2026-11-14T09:15:00Z",
  bucketSeconds: 900,
  receivedBytes: gap,
  sentBytes: gap,
  reportedAt: null,
};
const agent = { name: "lightkeeper-agent", version: "0.1.0", nebulaVersion: "1.9.5" };
const withAgent: HostV2 = { ...enrolledHost, metadata: { ...enrolledHost.metadata, agent } };

interface Served {
  one?: HostV2;
  state?: Partial<HostState>;
  traffic?: Partial<HostTraffic>;
  progress?: () => BlockProgress;
}

function open({ one = withAgent, state: changes, traffic: changedTraffic, progress }: Served) {
  transport()
    .on(whoami, () => person)
    .on(getHostV2, () => one)
    .on(getHostState, () => ({ ...state, ...changes }))
    .on(getHostTraffic, () => ({ ...traffic, ...changedTraffic }))
    .on(getBlockProgress, () => progress?.() ?? null)
    .on(getHostAccess, () => ({
      host: { id: host.id, name: host.name, ipAddress: "100.100.0.7" },
      networkID: network.id,
      failedCheck: null,
      inbound: [
        {
          group: { role: { id: role.id, name: role.name }, tags: [], hostCount: 4, hosts: [] },
          traffic: [],
          rules: [rule],
        },
      ],
      inboundGroupCount: 1,
      inboundHostCount: 4,
      outbound: [],
      outboundGroupCount: 0,
      outboundHostCount: 0,
      subnets: [],
      blastRadius: { hostCount: 0, subnetCount: 0 },
      revision: 1,
    }))
    .on(getNetworkV2, () => network)
    .on(listNetworksV2, () => page([network]))
    .on(listRoles, () => page([role]));
  return renderRoutes(routes, `/hosts/${host.id}`);
}

const rule = {
  source: { type: "role" as const, id: role.id, name: role.name },
  index: 1,
  rule: { protocol: "TCP" as const, portRange: { from: 22, to: 22 }, allowedRoleID: role.id },
};
const value = async (label: string) =>
  (await screen.findByText(label, { selector: "dt" })).nextElementSibling?.textContent;
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);

it("shows the description, the owner and when the host was last seen", async () => {
  const metadata = { ...withAgent.metadata, lastSeenAt: new Date().toISOString() };
  open({ one: { ...withAgent, description: "Serves pages", owner: "Platform team.", metadata } });
  expect((await screen.findByText(/Serves pages\./)).parentElement?.textContent).toMatch(
    /^Serves pages\. Owner: Platform team\. Last seen .+\.$/,
  );
});

it("shows inbound rules with their origin, and how many hosts they let in", async () => {
  const tagRule = { source: { type: "tag" as const, id: "env:prod", name: "env:prod" }, index: 0, rule: {} };
  open({ state: { rules: [rule, tagRule] } });
  const rules = within(await screen.findByRole("list", { name: "Inbound rules" })).getAllByRole("listitem");
  await waitFor(() => expect(rules[0]?.textContent).toContain(`4 hosts · Rule 2 of role ${role.name}`));
  expect(rules[0]?.textContent).toContain(`Allow TCP 22 (SSH) from role ${role.name}`);
  expect(rules[1]?.textContent).toContain("0 hosts · Rule 1 of tag env:prod");
});

it("shows the routes that the host serves and uses", async () => {
  const office = { id: routeID, name: "Office", cidrs: ["10.0.8.0/22"], tags: ["access:storage"] };
  const router = { vpnIp: "100.100.0.9", hostID: peerID, hostName: "gw-1" };
  open({ state: { routesServed: [office], routesUsed: [{ ...office, router }] } });
  const [served, used] = within(await screen.findByRole("list", { name: "Routes" })).getAllByRole("listitem");
  expect(served?.textContent).toBe("Serves 10.0.8.0/22Office · used by tag access:storage");
  expect(used?.textContent).toBe("Uses 10.0.8.0/22 through gw-1Office · from tag access:storage");
});

it("shows the system and the public endpoints, or that they aren't reported", async () => {
  open({
    state: {
      system: { os: "Debian GNU/Linux 12", kernel: "6.8.0", arch: "amd64" },
      publicEndpoints: ["203.0.113.52:4242"],
    },
  });
  expect(await value("System")).toBe("Debian GNU/Linux 12, kernel 6.8.0, amd64");
  expect(await value("Public endpoint")).toContain("203.0.113.52:4242");
});

it("says one by one what the agent doesn't report", async () => {
  const metadata = { ...withAgent.metadata, agent: { ...agent, nebulaVersion: null } };
  open({
    one: { ...withAgent, metadata },
    state: { nebulaVersion: null, tunnels: [{ vpnIp: "100.100.0.9", ...notReported }] },
  });
  for (const label of ["System", "Public endpoints", "Nebula"])
    expect(await value(label)).toBe("Not reported");
  expect(cells(screen.getAllByRole("row")[1]!).slice(1)).toEqual(
    Array.from({ length: 4 }, () => "Not reported"),
  );
});

describe("known vulnerabilities", () => {
  it("are a notice if they affect the host", async () => {
    open({ state: { routesServed: [{ id: routeID, name: "Office", cidrs: [], tags: [] }] } });
    const notice = await screen.findByText(/CVE-2025-62820/);
    expect(notice.textContent).toContain("This host serves a route. Update Nebula to 1.9.7 or newer.");
    expect(notice.closest("[role=status]")).not.toBeNull();
  });

  it("are a notice if the host has an IPv6 address and its Nebula is older than 1.11.1", async () => {
    const ipAddresses = ["100.100.0.7", "fd00::7"];
    open({ one: { ...withAgent, ipAddresses }, state: { nebulaVersion: "1.11.0" } });
    const notice = await screen.findByText(/slackhq\/nebula#1840/);
    expect(notice.textContent).toContain("This host has an IPv6 address. Update Nebula to 1.11.1 or newer.");
  });

  it("are a line below the version if they don't", async () => {
    open({});
    const line = await screen.findByText(/CVE-2025-62820 doesn’t affect this host/);
    expect(line.closest("[role=status]")).toBeNull();
    expect(await value("Nebula")).toContain("Fixed in 1.9.7.");
  });
});

describe("tunnels", () => {
  const relay = { vpnIp: "100.100.0.2", hostID: relayID, hostName: "relay-1" };
  const direct = {
    vpnIp: "100.100.0.9",
    hostID: peerID,
    hostName: "db-1",
    path: "direct" as const,
    remoteAddress: "203.0.113.7:4242",
    relays: [],
    handshakeAt: new Date().toISOString(),
    latencyMs: 0.84,
  };

  it("show the path, endpoint, handshake and latency", async () => {
    const relayed = { ...notReported, vpnIp: "100.100.0.8", path: "relayed" as const, relays: [relay] };
    open({ state: { tunnels: [relayed, direct] } });
    expect(await screen.findByRole("heading", { name: "Tunnels · 2 · 1 direct, 1 relayed" })).toBeDefined();
    const [, first, second] = screen.getAllByRole("row");
    expect(cells(first!)).toEqual([
      expect.stringContaining("Unknown host"),
      "Relayed",
      "via relay-1",
      "Not reported",
      "Not reported",
    ]);
    expect(cells(second!).slice(1, 3)).toEqual(["Direct", "203.0.113.7:4242"]);
    expect(cells(second!)[4]).toBe("0.8 ms");
    expect(screen.getByRole("link", { name: "relay-1" }).getAttribute("href")).toBe(`/hosts/${relayID}`);
  });

  it("are limited to 50 until all are requested", async () => {
    const tunnels = Array.from({ length: 60 }, (_, index) => ({ ...direct, vpnIp: `100.100.1.${index}` }));
    const { user } = open({ state: { tunnels } });
    const button = await screen.findByRole("button", { name: "Show all 60 tunnels" });
    expect(screen.getAllByRole("row")).toHaveLength(51);
    await user.click(button);
    expect(screen.getAllByRole("row")).toHaveLength(61);
  });
});

it.each([
  ["blocked", "Public endpoints", "Not kept for blocked hosts"],
  ["blocked", "Status", "Blocked: gets no configuration"],
  ["neverEnrolled", "System", "Shown after enrollment"],
  ["offline", "Public endpoints", "Shown when the host is online"],
  ["offline", "System", "Not reported"],
] as const)("says why data of a host is missing: %s, %s", async (status, label, reason) => {
  const metadata = { ...host.metadata, statuses: [status] };
  open({
    one: { ...host, isBlocked: status === "blocked", metadata },
    state: { runningHash: null, system: null },
  });
  expect(await value(label)).toBe(reason);
});

it("says what follows from a block", async () => {
  const metadata = { ...host.metadata, statuses: ["blocked" as const] };
  open({ one: { ...host, isBlocked: true, metadata }, state: { certificate: null, tunnels: [] } });
  await screen.findByText("No active certificate. To get a new one, unblock the host and enroll it again.");
  screen.getByText("Other hosts close their tunnels to this host when they apply the block.");
});

describe("traffic", () => {
  it("isn't reported by other agents", async () => {
    open({});
    const card = (await screen.findByRole("heading", { name: /^Traffic/ })).closest("section");
    await waitFor(() => expect(card?.textContent).toContain("Not reported"));
  });

  it("is a chart with gaps that arrow keys read step by step", async () => {
    const receivedBytes = gap.with(93, 2_000_000).with(95, 3_000_000);
    const { user } = open({ traffic: { receivedBytes, sentBytes: gap, reportedAt: "2026-11-15T09:00:00Z" } });
    const chart = await screen.findByRole("slider", { name: "Received in the last 24 hours" });
    expect(chart.closest("section")?.textContent).toContain("5 MB");
    expect(chart.closest("section")?.textContent).toContain("Peak 27 kbit/s");
    const text = () => chart.getAttribute("aria-valuetext");
    expect(text()).toMatch(/: 3 MB$/);
    chart.focus();
    await user.keyboard("{ArrowLeft}");
    expect(text()).toMatch(/: no data$/);
    await user.keyboard("{ArrowLeft}");
    expect(text()).toMatch(/: 2 MB$/);
    await user.keyboard("{Home}");
    expect(chart.getAttribute("aria-valuenow")).toBe("0");
    await user.keyboard("{End}{ArrowRight}");
    expect(text()).toMatch(/: 3 MB$/);
    // Two lines with a gap between them.
    expect(chart.querySelectorAll("path")).toHaveLength(5);
  });
});

describe("the progress of a block", () => {
  const blocked: HostV2 = {
    ...withAgent,
    isBlocked: true,
    metadata: { ...withAgent.metadata, statuses: ["blocked"] },
  };
  const waiting = { isOnline: true, lastSeenAt: null, hasTunnel: false, isDrifted: false };
  const progress: BlockProgress = {
    hostID: host.id,
    blockedAt: new Date(Date.now() - 8000).toISOString(),
    hostCount: 188,
    acknowledgedCount: 185,
    medianDelayMs: 1200,
    tunnelCount: 7,
    closedTunnelCount: 6,
    completedAt: null,
    waitingCount: 120,
    waiting: [
      { ...waiting, hostID: peerID, hostName: "worker-6", hasTunnel: true },
      { ...waiting, hostID: relayID, hostName: "api-1", isOnline: false },
      { ...waiting, hostID: driftedID, hostName: "web-3", isDrifted: true },
    ],
  };

  it("shows how many hosts have acknowledged it, and which have not", async () => {
    open({ one: blocked, progress: () => progress });
    expect(await value("Hosts that acknowledged the block")).toBe("185 of 188");
    expect(await value("Tunnels closed")).toBe("6 of 7");
    expect(await value("Median delay")).toBe("1.2 s");
    expect(await value("Elapsed")).toMatch(/^\d+:\d\d$/);
    const table = screen.getByRole("columnheader", { name: "Not acknowledged yet · 120" }).closest("table")!;
    expect(within(table).getAllByRole("row").slice(1).map(cells)).toEqual([
      ["worker-6", "Online", "Still open", "Applies the block now."],
      ["api-1", "Offline", "None reported", "Applies the block when its agent reconnects."],
      ["web-3", "Online", "None reported", "Out of sync: can’t apply its configuration."],
    ]);
    expect(screen.getByText("and 117 more hosts.")).toBeDefined();
  });

  it("is one line when every host has acknowledged it, and is announced", async () => {
    const done = {
      ...progress,
      acknowledgedCount: 188,
      closedTunnelCount: 7,
      completedAt: new Date(Date.parse(progress.blockedAt) + 8400).toISOString(),
      waitingCount: 0,
      waiting: [],
    };
    let isDone = false;
    open({ one: blocked, progress: () => (isDone ? done : progress) });
    await screen.findByText("Block in progress");
    isDone = true;
    expect(
      await screen.findByText(/188 hosts acknowledged the block in 8\.4 s\./, {}, { timeout: 10_000 }),
    ).toBeDefined();
    expect(screen.queryByText("Block in progress")).toBeNull();
    expect(screen.getByText("Every host has acknowledged the block.")).toBeDefined();
  });

  it("isn't shown for a host that isn't blocked", async () => {
    open({ progress: () => progress });
    await screen.findByRole("heading", { name: "Software" });
    expect(screen.queryByText("Block in progress")).toBeNull();
  });
});
