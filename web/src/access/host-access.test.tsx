import {
  getHostAccess,
  getHostV2,
  listHostsV2,
  listNetworksV2,
  listRoles,
  whoami,
  type HostAccess,
  type HostV2,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { routes } from "../app/router.tsx";
import { db, hostAccess } from "../testing/access.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, enrolledHost, network, role, user as person } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const host: HostV2 = { ...enrolledHost, id: db.id, name: db.name };

function served(access: HostAccess = hostAccess): Transport {
  return transport()
    .on(whoami, () => person)
    .on(getHostV2, () => host)
    .on(getHostAccess, () => access)
    .on(listNetworksV2, () => page([network]))
    .on(listRoles, () => page([role]))
    .on(listHostsV2, () => page([]));
}

const open = (query = "") => renderRoutes(routes, `/hosts/${host.id}/access${query}`);
const list = async (name: string) => within(await screen.findByRole("list", { name }));

it("lists who can reach the host and whom it can reach, with counts and traffic in words", async () => {
  served();
  open();
  const inbound = await list("Inbound");
  expect(inbound.getByText("Web").closest("p")?.textContent).toBe("Web 1,740 hosts");
  expect(inbound.getByText("TCP 5432 (PostgreSQL)")).toBeDefined();
  expect(screen.getByRole("heading", { name: "Inbound · 1,740 hosts" })).toBeDefined();
  const outbound = await list("Outbound");
  expect(outbound.getByText("No role").closest("p")?.textContent).toBe("No role 3 hosts");
  expect(outbound.getByText("ICMP (ping)")).toBeDefined();
  expect(screen.getByText("except 192.168.4.7/32")).toBeDefined();
  expect(screen.getByText(/^If this host is stolen/).textContent).toBe(
    "If this host is stolen, whoever has it can reach 5 hosts and 1 subnet.",
  );
  const tabs = within(screen.getByRole("navigation", { name: `Sections of ${host.name}` }));
  expect(tabs.getByRole("link", { name: "Access" }).getAttribute("aria-current")).toBe("page");
});

it("shows the rules behind an entry, with links to their origin", async () => {
  served();
  const { user } = open();
  const why = (await list("Inbound")).getByRole("button", { name: /^Why\?/ });
  expect(why.getAttribute("aria-expanded")).toBe("false");
  await user.click(why);
  const rules = await list("Rules for Web");
  expect(rules.getByText(/^Allow /).textContent).toBe(
    "Allow TCP 5432 (PostgreSQL) from hosts with tag team:web",
  );
  expect(rules.getByRole("link", { name: "Database" }).getAttribute("href")).toBe(`/roles/${role.id}`);
  await user.click(why);
  expect(screen.queryByRole("list", { name: "Rules for Web" })).toBeNull();
});

it("searches on the server, and keeps the search in the URL", async () => {
  const api = served();
  api.on(getHostAccess, ({ query }) =>
    query["filter.search"] ? { ...hostAccess, inbound: [], outbound: [], subnets: [] } : hostAccess,
  );
  const { user, path } = open();
  await list("Inbound");
  await user.type(screen.getByRole("searchbox"), "zzz");
  await waitFor(() => expect(path()).toBe(`/hosts/${host.id}/access?filter.search=zzz`));
  await waitFor(() => expect(screen.getAllByText("Nothing matches.")).toHaveLength(2));
  expect(api.calls(getHostAccess).at(-1)?.query).toEqual({ "filter.search": "zzz" });
});

it("says how many groups aren’t listed", async () => {
  served({ ...hostAccess, inboundGroupCount: 341 });
  open();
  expect(await screen.findByText("and 340 more groups. Search to find them.")).toBeDefined();
});

it("says that nothing is allowed", async () => {
  served({
    ...hostAccess,
    inbound: [],
    inboundGroupCount: 0,
    outbound: [],
    outboundGroupCount: 0,
    subnets: [],
  });
  open();
  expect(await screen.findByText("No rule allows inbound traffic to this host.")).toBeDefined();
  expect(screen.getByText("No host accepts traffic from this host.")).toBeDefined();
});

it("links to a check from this host, also in the menu", async () => {
  served();
  const { user } = open();
  const link = await screen.findByRole("link", { name: "Check access…" });
  expect(link.getAttribute("href")).toBe(`/access?source=${host.id}`);
  await user.click(screen.getByRole("button", { name: `Actions for ${host.name}` }));
  const item = await screen.findByRole("menuitem", { name: "Check access from this host" });
  expect(item.getAttribute("href")).toBe(`/access?source=${host.id}`);
});

it.each([
  ["notEnrolled", /isn’t enrolled/, "Enroll"],
  ["blocked", /is blocked/, "Unblock"],
  ["expired", /certificate of this host has expired/, undefined],
] as const)("says why the host has no tunnels: %s", async (kind, text, action) => {
  served({ ...hostAccess, failedCheck: { kind, host: db }, inbound: [], outbound: [], subnets: [] });
  open();
  const notice = (await screen.findByText(text)).closest<HTMLElement>("[role=status]")!;
  expect(within(notice).queryByRole("link")?.textContent).toBe(action);
});

it("offers auditors no action on a blocked host", async () => {
  served({ ...hostAccess, failedCheck: { kind: "blocked", host: db } }).on(whoami, () => auditor);
  open();
  await screen.findByText(/is blocked/);
  await waitFor(() => expect(screen.queryByRole("link", { name: "Unblock" })).toBeNull());
});

it("shows what failed and retries", async () => {
  const api = served().on(getHostAccess, () => Promise.reject(failure("ERR_UNAVAILABLE", {}, "request-9")));
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(getHostAccess, () => hostAccess);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await list("Inbound")).toBeDefined();
});
