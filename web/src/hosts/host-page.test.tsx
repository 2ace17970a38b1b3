import {
  blockHostV2,
  deleteHost,
  getBlockProgress,
  getHostAccess,
  getHostState,
  getHostTraffic,
  getHostV2,
  getNetworkV2,
  listAuditLogs,
  listHostsV2,
  listNetworksV2,
  listRoles,
  whoami,
  type AuditLog,
  type HostAccess,
  type HostState,
  type HostTraffic,
  type HostV2,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { routes } from "../app/router.tsx";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host, network, organization, role, user as person } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";

beforeEach(signIn);

const HASH = "ab".repeat(32);

const notReported = { path: null, remoteAddress: null, relays: [], handshakeAt: null, latencyMs: null };
const state: HostState = {
  hostID: host.id,
  config: "pki:\n  ca: |\n    PEM\nlisten:\n  port: 0\n",
  intendedHash: HASH,
  runningHash: HASH,
  runningConfig: null,
  isDrifted: false,
  reportedAt: "2026-11-15T08:58:00Z",
  appliedAt: "2026-11-15T08:00:00Z",
  error: null,
  nebulaVersion: "1.9.7",
  certificate: {
    fingerprint: "f1".repeat(32),
    notBefore: "2026-11-02T09:00:00Z",
    notAfter: "2027-11-02T09:00:00Z",
    certificateAuthorityID: `ca-${"A".repeat(26)}`,
    groups: ["role:web", "tag:env:prod"],
  },
  tunnels: [
    { vpnIp: "100.100.0.9", hostID: `host-${"C".repeat(26)}`, hostName: "db-1", ...notReported },
    { vpnIp: "100.100.0.250", ...notReported },
  ],
  system: null,
  publicEndpoints: [],
  rules: [],
  routesServed: [],
  routesUsed: [],
  omitted: [],
  wider: [],
};

const gap = Array.from({ length: 96 }, () => null);
const noTraffic: HostTraffic = {
  hostID: host.id,
  startsAt: "2026-11-14T09:15:00Z",
  bucketSeconds: 900,
  receivedBytes: gap,
  sentBytes: gap,
  reportedAt: null,
};
const access: HostAccess = {
  host: { id: host.id, name: host.name, ipAddress: "100.100.0.7" },
  networkID: network.id,
  failedCheck: null,
  inbound: [],
  inboundGroupCount: 0,
  inboundHostCount: 0,
  outbound: [],
  outboundGroupCount: 0,
  outboundHostCount: 0,
  subnets: [],
  blastRadius: { hostCount: 0, subnetCount: 0 },
  revision: 1,
};

const entry = (id: string, event: AuditLog["event"], actor?: AuditLog["actor"]): AuditLog => ({
  id: `log-${id.padEnd(26, "A")}`,
  organizationID: organization.id,
  timestamp: "2026-11-15T08:00:00Z",
  actor: actor ?? { type: "user", id: person.actor.id, email: person.actor.email },
  target: { type: "host", id: host.id },
  event,
  accessDiff: null,
  actorAddress: "192.0.2.7",
  actorName: null,
  targetName: "web-1",
});

function served(one: HostV2 = { ...enrolledHost, roleID: role.id }, hostState: HostState = state): Transport {
  return transport()
    .on(whoami, () => person)
    .on(getHostV2, () => one)
    .on(getHostState, () => hostState)
    .on(getHostTraffic, () => noTraffic)
    .on(getHostAccess, () => access)
    .on(getBlockProgress, () => null)
    .on(getNetworkV2, () => network)
    .on(listNetworksV2, () => page([network]))
    .on(listRoles, () => page([role]))
    .on(listHostsV2, () => page([]));
}

const open = (path: string) => renderRoutes(routes, path);
const at = (part = "") => `/hosts/${host.id}${part}`;
const value = async (label: string) =>
  (await screen.findByText(label, { selector: "dt" })).nextElementSibling!;

it("shows the identity, connectivity and configuration of the host [S2.7]", async () => {
  served();
  open(at());
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("web-1");
  expect(document.title).toBe("web-1 - Lightkeeper");
  expect((await value("Address")).textContent).toContain("100.100.0.7");
  expect(
    within((await value("Address")) as HTMLElement).getByRole("button", { name: "Copy Address" }),
  ).toBeDefined();
  expect(
    within((await value("Network")) as HTMLElement)
      .getByRole("link")
      .getAttribute("href"),
  ).toContain(network.id);
  await waitFor(async () => expect((await value("Role")).textContent).toBe(role.name));
  expect((await value("Agent")).textContent).toContain("Lightkeeper agent 0.1.0");
  expect((await value("Nebula")).textContent).toContain("1.9.7");
  expect((await value("Status")).textContent).toBe("In sync");
  expect((await value("Fingerprint")).textContent).toContain("f1f1");
  expect((await value("Groups")).textContent).toContain("tag:env:prod");
  expect(screen.getByRole("link", { name: "db-1" }).getAttribute("href")).toBe(
    `/hosts/host-${"C".repeat(26)}`,
  );
  expect(screen.getByText("Unknown host")).toBeDefined();
});

it("shows the address of each family, each to copy", async () => {
  served({ ...enrolledHost, ipAddresses: ["100.100.0.7", "fd12::7"] });
  open(at());
  expect((await value("IPv4 address")).textContent).toContain("100.100.0.7");
  expect((await value("IPv6 address")).textContent).toContain("fd12::7");
  expect(screen.getByRole("button", { name: "Copy IPv4 address" })).toBeDefined();
  expect(screen.getByRole("button", { name: "Copy IPv6 address" })).toBeDefined();
});

it("offers to copy IDs, addresses, hashes and fingerprints, and nothing else", async () => {
  served({ ...enrolledHost, staticAddresses: ["203.0.113.7:4242"], listenPort: 4242 });
  open(at());
  await value("Fingerprint");
  const names = screen
    .getAllByRole("button", { name: /^Copy / })
    .map((button) => button.getAttribute("aria-label"));
  expect(names.toSorted()).toEqual([
    "Copy Address",
    "Copy Expected (hash)",
    "Copy Fingerprint",
    "Copy Host ID",
    "Copy Running (hash)",
    "Copy Signed by",
    "Copy Static address",
    "Copy address 100.100.0.250",
    "Copy address 100.100.0.9",
  ]);
});

it.each<[string, Partial<HostState>, HostV2, string]>([
  ["drift", { isDrifted: true, runningHash: "cd".repeat(32) }, enrolledHost, "Out of sync"],
  ["a pending change", { runningHash: "cd".repeat(32) }, enrolledHost, "Update pending"],
  ["a host that has just enrolled", { runningHash: null }, enrolledHost, "Waiting for first report"],
  [
    "an agent that does not report",
    { runningHash: null },
    {
      ...enrolledHost,
      metadata: {
        ...enrolledHost.metadata,
        agent: { name: "dnclient", version: "0.8.4", nebulaVersion: null },
      },
    },
    "Unknown (agent hasn’t reported)",
  ],
  ["a configuration that failed", { error: "bad cipher" }, enrolledHost, "Failed to apply configuration"],
  ["a host that isn’t enrolled", { runningHash: null, certificate: null }, host, "Waiting for enrollment"],
])("shows the configuration status: %s", async (_, difference, shownHost, label) => {
  served(shownHost, { ...state, ...difference });
  open(at());
  expect((await value("Status")).textContent).toBe(label);
  if (difference.error) expect((await screen.findByRole("alert")).textContent).toBe("bad cipher");
});

it("lists the settings and rules that don't apply to this host", async () => {
  served(enrolledHost, {
    ...state,
    omitted: [
      { kind: "override", key: "tun.mtu", source: { kind: "tag", name: "env:prod" }, sentence: "too small." },
      { kind: "route", cidr: "192.168.0.0/16", reason: "servedByItself" },
    ],
    wider: [{ source: { kind: "role" }, index: 1, opens: "routedNetworks" }],
  });
  open(at());
  expect(await screen.findByText("Setting tun.mtu of tag env:prod: too small.")).toBeDefined();
  expect(screen.getByText("Route to 192.168.0.0/16: this host is the router.")).toBeDefined();
  expect(screen.getByText(/Rule 2 of its role/)).toBeDefined();
});

it("redirects a lighthouse's ID to its own path, with the rest of the path [S2.8]", async () => {
  served({ ...enrolledHost, isLighthouse: true });
  const { path } = open(at("/config"));
  expect(await screen.findByRole("heading", { name: "web-1" })).toBeDefined();
  expect(path()).toBe(`/lighthouses/${host.id}/config`);
});

it("shows the 404 page for a host that doesn't exist [S2.23]", async () => {
  served().on(getHostV2, () => {
    throw failure("ERR_NOT_FOUND");
  });
  open(at());
  expect(await screen.findByText("Nothing here (404)")).toBeDefined();
});

it("offers to enroll a host that is new", async () => {
  served(host);
  open(at());
  expect((await screen.findByRole("link", { name: "Enroll" })).getAttribute("href")).toBe(at("/enroll"));
});

it("offers to unblock a host that is blocked", async () => {
  const metadata = { ...enrolledHost.metadata, statuses: ["blocked" as const] };
  served({ ...enrolledHost, isBlocked: true, metadata });
  open(at());
  expect((await screen.findByRole("link", { name: "Unblock" })).getAttribute("href")).toBe(at("/unblock"));
});

it("shows the expected configuration and its difference to the running one", async () => {
  served(enrolledHost, {
    ...state,
    runningHash: "cd".repeat(32),
    runningConfig: state.config.replace("port: 0", "port: 4242"),
  });
  open(at("/config"));
  const code = await screen.findByRole("region", { name: "Configuration file" });
  expect(code.textContent).toBe(state.config);
  const difference = screen.getByRole("region", { name: "Difference" });
  expect(difference.textContent).toContain("Removed:   port: 4242");
  expect(difference.textContent).toContain("Added:   port: 0");
  expect(screen.getByRole("button", { name: "Copy configuration" })).toBeDefined();
});

it("says so if the text of the running configuration is no longer available", async () => {
  served(enrolledHost, { ...state, runningHash: "cd".repeat(32) });
  open(at("/config"));
  expect(await screen.findByText(/Its text is no longer available/)).toBeDefined();
});

it("lists the activity of the host, and older entries on demand", async () => {
  const api = served().on(listAuditLogs, ({ query }) =>
    query.cursor
      ? page([entry("C", { type: "CREATED", before: null, after: { name: "web-1" } })])
      : page(
          [
            entry("A", {
              type: "UPDATED",
              before: { roleID: null, tags: ["env:prod"], name: "web-1" },
              after: { roleID: role.id, tags: [], name: "web-1" },
            }),
            entry("B", { type: "RENEWED", before: null, after: null }, { type: "system" }),
          ],
          { hasNextPage: true, nextCursor: "older" },
        ),
  );
  const { user } = open(at("/activity"));
  const changed = await screen.findByText(/changed role and tags of/);
  expect(changed.textContent).toBe("ada@example.com changed role and tags of host web-1");
  expect(screen.getByText(/renewed the certificate of/).textContent).toContain("Lightkeeper");
  expect(api.calls(listAuditLogs)[0]?.query).toEqual({
    "filter.targetID": host.id,
    "filter.targetType": "host",
    pageSize: "50",
  });
  await user.click(screen.getByRole("button", { name: "Show older" }));
  expect(await screen.findByText(/added host/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Show older" })).toBeNull();
});

it("blocks after the name was typed, at its own path, and names the consequence", async () => {
  const api = served().on(blockHostV2, () => ({ ...enrolledHost, isBlocked: true }));
  const { user, path } = open(at("/block"));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Block host web-1?" }));
  expect(dialog.getByText(/is disconnected immediately and its certificate is revoked/)).toBeDefined();
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Block" }).disabled).toBe(true);
  await user.type(dialog.getByRole("textbox"), "web-1{Enter}");
  expect(await screen.findByText("web-1 blocked")).toBeDefined();
  expect(path()).toBe(at());
  expect(api.calls(blockHostV2)).toHaveLength(1);
});

it("deletes and goes back to the list; links routes that prevent it", async () => {
  const route = { type: "route" as const, id: `route-${"A".repeat(26)}`, name: "Office" };
  const api = served().on(deleteHost, () => {
    throw failure("ERR_HAS_DEPENDENTS", { extra: { dependents: [route], total: 1 } });
  });
  const { user, path } = open(at("/delete"));
  await user.type(await screen.findByRole("textbox"), "web-1{Enter}");
  const rejection = within(await screen.findByRole("alert"));
  expect(rejection.getByText(/This host is the router of one or more routes/)).toBeDefined();
  expect(rejection.getByRole("link", { name: "Office" }).getAttribute("href")).toBe(`/routes/${route.id}`);
  api.on(deleteHost, () => ({}));
  await user.click(screen.getByRole("button", { name: "Delete" }));
  expect(await screen.findByText("web-1 deleted")).toBeDefined();
  await waitFor(() => expect(path()).toBe("/hosts"));
});

it("closes a dialog and goes back to where it was opened", async () => {
  served();
  const { user, path, router } = open(at("/config"));
  await screen.findByRole("region", { name: "Configuration file" });
  await router.navigate(at("/delete"));
  await screen.findByRole("alertdialog");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(path()).toBe(at("/config")));
});
