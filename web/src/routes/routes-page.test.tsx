import { deleteRoute, getHostV2, listRoutes, type RouteListItem } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { host, route } from "../testing/samples.ts";
import { page, transport } from "../testing/transport.ts";
import { RoutesPage } from "./routes-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const { firewallRules: _, ...listed } = route;
const office: RouteListItem = { ...listed, firewallRulesCount: 4, routerHostID: host.id };
const planned: RouteListItem = {
  ...listed,
  id: `route-${"P".repeat(26)}`,
  name: "Planned",
  routableCIDRs: {
    "10.0.0.0/8": { install: true },
    "10.1.0.0/16": { install: true },
    "10.2.0.0/16": { install: true },
  },
  firewallRulesCount: 0,
};
const api = () =>
  transport()
    .on(listRoutes, () => page([office, planned]))
    .on(getHostV2, () => host);
const open = () => renderPage(<RoutesPage />, { route: "/routes" });
const row = async (name: string) => within((await screen.findByRole("link", { name })).closest("tr")!);

it("lists routes with their subnets and their router as a link [S1.1] [S2.12]", async () => {
  api();
  open();
  const cells = await row("Office");
  expect(cells.getByText("192.168.4.0/24")).toBeDefined();
  expect((await cells.findByRole("link", { name: host.name })).getAttribute("href")).toBe(
    `/hosts/${host.id}`,
  );
  expect(cells.getByText("4")).toBeDefined();
  expect(document.title).toBe("Routes - Lightkeeper");
});

it("marks routes without a router, and lists every subnet in the tooltip", async () => {
  api();
  open();
  const cells = await row("Planned");
  expect(cells.getByText("No router")).toBeDefined();
  expect(cells.getByTitle("10.0.0.0/8, 10.1.0.0/16, 10.2.0.0/16")).toBeDefined();
});

it("says what to do if there are no routes", async () => {
  transport().on(listRoutes, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No routes yet" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Add route" }).getAttribute("href")).toBe("/routes/add");
});

it("deletes a route after its name was typed, and names the consequence", async () => {
  const calls = api().on(deleteRoute, () => ({}));
  const { user } = open();
  await row("Office");
  await user.click(screen.getByRole("button", { name: "Actions for Office" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete…" }));
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText(/can no longer reach 192\.168\.4\.0\/24/)).toBeDefined();
  const confirm = dialog.getByRole<HTMLButtonElement>("button", { name: "Delete route" });
  expect(confirm.disabled).toBe(true);
  await user.type(dialog.getByRole("textbox"), "Office{Enter}");
  expect(await screen.findByText("Route Office deleted")).toBeDefined();
  expect(calls.calls(deleteRoute)[0]?.params).toEqual({ routeID: office.id });
});
