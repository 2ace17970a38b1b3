import {
  getAttention,
  getGuarantee,
  listRoles,
  type AttentionItem,
  type DataOf,
  type HostHealth,
} from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { ciRunner, counterexample, database, failingGuarantee } from "../testing/guarantee-samples.ts";
import { lastHostQuery, openHosts, rowOf, serveHosts, staging } from "../testing/host-list.tsx";
import { signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, page, type Transport } from "../testing/transport.ts";
import { formatSince } from "./since.tsx";

beforeEach(signIn);

const health: HostHealth = {
  online: 1289,
  offline: 12,
  neverEnrolled: 11,
  blocked: 0,
  drifted: 3,
  expiring: 2,
  updateAvailable: 41,
};

const networkObject = { type: "network", id: network.id, name: network.name } as const;
const hostObject = (name: string) => ({ type: "host", id: `host-${name}`, name }) as const;

const item = (type: AttentionItem["type"], more: Partial<AttentionItem> = {}): AttentionItem => ({
  type,
  severity: "CRITICAL",
  objects: [networkObject],
  hostCount: 12,
  since: "2026-11-01T09:00:00Z",
  expiresAt: null,
  ...more,
});
const noLighthouse = item("NETWORK_WITHOUT_LIGHTHOUSE", {
  objects: [networkObject, hostObject("lh-1"), hostObject("lh-2")],
});
const rotation = item("ROTATION_WAITING", {
  severity: "WARNING",
  objects: [networkObject, hostObject("db-1")],
  hostCount: 1,
});
const block = item("BLOCK_UNACKNOWLEDGED", {
  severity: "WARNING",
  objects: [hostObject("thief"), hostObject("older")],
  hostCount: 3,
});
const channel = item("CHANNEL_FAILING", {
  severity: "WARNING",
  objects: [{ type: "notificationChannel", id: "channel-oncall", name: "On-call" }],
  hostCount: 0,
});

function serve(items: AttentionItem[], more: Partial<HostHealth> = {}): Transport {
  return serveHosts().on(getAttention, () => ({ items, health: { ...health, ...more } }));
}

/** The counts, once they are loaded. */
async function strip() {
  await screen.findByRole("link", { name: /^Online \d/ });
  return screen.getByRole("navigation", { name: "Host health" });
}
const list = () => screen.findByRole("region", { name: /^Needs attention/ });
const titles = () => screen.getAllByRole("heading", { level: 3 }).map(({ textContent }) => textContent);

describe("the health of hosts", () => {
  it("shows seven counts, each with a link to these hosts, also if there are none", async () => {
    const api = serve([]);
    openHosts("/hosts?filter.roleID=any&sort=-name");
    const links = within(await strip()).getAllByRole<HTMLAnchorElement>("link");
    expect(links.map(({ textContent }) => textContent)).toEqual([
      "Online 1,289",
      "Offline 12",
      "Not enrolled 11",
      "Blocked 0",
      "Out of sync 3",
      "Certificate expiring 2",
      "Update available 41",
    ]);
    // The counts don't follow the filter by role, so the links remove it.
    expect(links[1]?.getAttribute("href")).toBe("/hosts?sort=-name&filter.status=offline");
    expect(links[6]?.getAttribute("href")).toBe("/hosts?sort=-name&filter.metadata.updateAvailable=true");
    expect(api.calls(getAttention)[0]?.query).toEqual({
      "filter.isLighthouse": "false",
      "filter.isRelay": "false",
    });
    expect(screen.queryByText("Needs attention")).toBeNull();
  });

  it("sets and removes the same filter as the chip", async () => {
    const api = serve([]);
    openHosts();
    const link = (await within(await strip()).findByRole("link", {
      name: "Out of sync 3",
    })) as HTMLAnchorElement;
    await userEvent.click(link);
    await waitFor(() => expect(lastHostQuery(api)).toMatchObject({ "filter.status": "drifted" }));
    expect(await screen.findAllByRole("button", { name: /Status.*Out of sync/ })).not.toEqual([]);
    expect(link.getAttribute("aria-current")).toBe("true");
    await userEvent.click(link);
    await waitFor(() => expect(link.getAttribute("aria-current")).toBeNull());
    expect(screen.queryByRole("button", { name: /Status.*Out of sync/ })).toBeNull();
  });

  it("follows the network and the kinds of hosts in the list", async () => {
    const api = serve([]);
    openHosts(`/hosts?filter.networkID=${staging.id}&filter.kind=any&filter.status=online`);
    const offline = within(await strip()).getByRole("link", { name: "Offline 12" });
    expect(offline.getAttribute("href")).toBe(
      `/hosts?filter.networkID=${staging.id}&filter.kind=any&filter.status=offline`,
    );
    expect(api.calls(getAttention)[0]?.query).toEqual({ "filter.networkID": staging.id });
  });

  it("is only above the list of hosts, and not without hosts", async () => {
    const api = serveHosts();
    const { unmount } = openHosts("/lighthouses");
    await rowOf("web");
    expect(api.calls(getAttention)).toEqual([]);
    unmount();
    openHosts();
    await rowOf("web");
    expect(screen.queryByRole("navigation", { name: "Host health" })).toBeNull();
  });

  it("shows the list without numbers if the counts can't be loaded", async () => {
    serveHosts().on(getAttention, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR");
    });
    openHosts();
    await rowOf("web");
    expect(screen.getByRole("link", { name: "Online –" })).toBeDefined();
  });
});

describe("what needs attention", () => {
  it("says what happens, since when, and what to do", async () => {
    serve([noLighthouse, rotation]);
    openHosts();
    const [first, second] = within(await list()).getAllByRole("listitem");
    expect(titles()).toEqual([
      "Critical: Production has no reachable lighthouse",
      "Warning: The CA rotation of Production is waiting for 1 host",
    ]);
    expect(first?.textContent).toContain(
      "Neither lh-1 nor lh-2 is online. Open tunnels stay up, but hosts that restart or change address can’t find each other.",
    );
    expect(
      within(first!)
        .getByText(/^Since /)
        .getAttribute("dateTime"),
    ).toBe(noLighthouse.since);
    expect(within(first!).getByRole("link", { name: "View lighthouses" }).getAttribute("href")).toBe(
      `/lighthouses?filter.networkID=${network.id}`,
    );
    expect(second?.textContent).toContain("The rotation continues when db-1 is up to date");
    expect(within(second!).getByRole("link", { name: "View rotation" })).toBeDefined();
  });

  it("explains certificates and CAs that expire", async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    serve([
      item("CA_EXPIRING", {
        objects: [{ type: "ca", id: "ca-1", name: "Corporate CA" }, networkObject],
        expiresAt: inDays(19),
        hostCount: 52,
      }),
      item("CERTIFICATE_EXPIRING", {
        severity: "WARNING",
        objects: ["a", "b", "c"].map(hostObject),
        expiresAt: inDays(5),
      }),
    ]);
    openHosts();
    const text = (await list()).textContent;
    expect(text).toContain("Corporate CA expires in 19 days");
    expect(text).toMatch(/After \w+ \d+, none of the 52 hosts in Production can connect\./);
    expect(text).toContain("12 hosts haven’t renewed their certificates");
    expect(text).toContain(
      "The first certificate expires in 5 days. Start the agent on a, b and 10 more to renew.",
    );
    expect(screen.getByRole("link", { name: "Rotate CA" }).getAttribute("href")).toBe(
      `/certificate-authorities/${network.id}/rotate`,
    );
    expect(screen.getByRole("link", { name: "View hosts" }).getAttribute("href")).toBe(
      "/hosts?filter.status=expiring&filter.endpointOIDCUserID=null&filter.kind=any",
    );
  });

  it("shows one connection that breaks a guarantee", async () => {
    serve([
      item("GUARANTEE_FAILING", {
        objects: [{ type: "guarantee", id: failingGuarantee.id, name: "No SSH" }],
      }),
    ])
      .on(getGuarantee, () => ({ ...failingGuarantee, counterexample }))
      .on(listRoles, () => page([ciRunner, database]));
    openHosts();
    expect((await list()).textContent).toContain(
      "ci-1 can reach db-1 on TCP 5432 (PostgreSQL), allowed by tag debug:verbose, rule 1.",
    );
    expect(titles()).toEqual(["Critical: Guarantee failing: Role CI runner must never reach role Database"]);
    expect(screen.getByRole("link", { name: "Review rule" }).getAttribute("href")).toBe(
      "/tags/debug%3Averbose",
    );
    expect(
      within(await list())
        .getAllByRole("link")[0]
        ?.getAttribute("href"),
    ).toBe(`/guarantees/${failingGuarantee.id}/edit`);
  });

  it("shows five items, and all on request", async () => {
    const networks = Array.from({ length: 7 }, (_, index) => ({ ...networkObject, id: `network-${index}` }));
    serve(networks.map((object) => item("NETWORK_WITHOUT_LIGHTHOUSE", { objects: [object] })));
    openHosts();
    await list();
    expect(titles()).toHaveLength(5);
    await userEvent.click(screen.getByRole("button", { name: "Show all 7" }));
    expect(titles()).toHaveLength(7);
    expect(screen.queryByRole("button", { name: /Show all/ })).toBeNull();
  });

  it("updates live, but adds and removes no items while the focus is in the list", async () => {
    let attention: DataOf<typeof getAttention> = { items: [noLighthouse], health };
    serveHosts().on(getAttention, () => attention);
    openHosts();
    await list();
    act(() => screen.getByRole("link", { name: "View lighthouses" }).focus());
    attention = { items: [rotation], health: { ...health, online: 7 } };
    await act(() => invalidateNoun("attention"));
    expect(await screen.findByRole("link", { name: "Online 7" })).toBeDefined();
    expect(titles()).toEqual(["Critical: Production has no reachable lighthouse"]);
    act(() => (document.activeElement as HTMLElement).blur());
    await waitFor(() =>
      expect(titles()).toEqual(["Warning: The CA rotation of Production is waiting for 1 host"]),
    );
    attention = { items: [], health };
    await act(() => invalidateNoun("attention"));
    await waitFor(() => expect(screen.queryByText(/^Needs attention/)).toBeNull());
  });
});

describe("formatSince", () => {
  const now = new Date(2026, 10, 17, 20, 0);
  it.each([
    [new Date(2026, 10, 17, 19, 17), "19:17"],
    [new Date(2026, 10, 13, 8, 0), "Nov 13"],
    [new Date(2025, 10, 13, 8, 0), "Nov 13, 2025"],
  ])("shortens %s", (at, text) => {
    expect(formatSince(at, now)).toBe(text);
  });
});

it("shows blocks that hosts haven't acknowledged, and failing channels", async () => {
  serve([block, channel]);
  openHosts();
  await strip();
  await screen.findByRole("heading", { name: /3 hosts haven’t acknowledged the block of thief/ });
  const target = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  expect(target("View block")).toBe("/hosts/host-thief");
  expect(target("View deliveries")).toBe("/settings/notifications/channels/channel-oncall");
});
