import {
  createRoute,
  getHostV2,
  getRoute,
  getTag,
  listHostsV2,
  listRoles,
  listTags,
  updateRoute,
  updateTag,
  type Route,
  type Tag,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { host, route, tag } from "../testing/samples.ts";
import { failure, Failure, page, transport } from "../testing/transport.ts";
import { RouteAddPage } from "./route-add-page.tsx";
import { RouteEditPage } from "./route-edit-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const office: Route = {
  ...route,
  routerHostID: host.id,
  routableCIDRs: { "192.168.20.0/24": { install: false }, "192.168.4.0/24": { install: true } },
  firewallRules: [
    {
      protocol: "TCP",
      portRange: { from: 631, to: 631 },
      allowedRoleID: null,
      allowedTags: [],
      description: "",
      localCIDR: "192.168.4.0/24",
    },
  ],
};
const subscribed: Tag = { ...tag, description: "Live", routeSubscriptions: [office.id] };
const other: Tag = { ...tag, name: "env:dev", priority: 2 };

const api = () =>
  transport()
    .on(getRoute, () => office)
    .on(getHostV2, () => host)
    .on(listHostsV2, () => page([host]))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([subscribed, other]));
const openAdd = () => renderPage(<RouteAddPage />, { route: "/routes/add" });
const openEdit = () =>
  renderPage(<RouteEditPage />, { route: "/routes/:routeID", at: `/routes/${office.id}` });
const network = (place: number) => screen.getByLabelText<HTMLInputElement>(`Network ${place}`);
const routerInput = () => screen.getByLabelText<HTMLInputElement>("Router");

describe("adding a route", () => {
  it("takes a router found by its name and networks pasted as a list [S1.5] [S2.12]", async () => {
    const calls = api().on(createRoute, () => office);
    const { user, path } = openAdd();
    expect(document.title).toBe("Add route - Lightkeeper");
    await user.type(screen.getByLabelText("Name"), "Office");
    await user.type(routerInput(), "we");
    await user.click(await screen.findByText(host.name));
    await user.click(network(1));
    await user.paste("192.168.4.0/24, 192.168.20.0/24");
    await user.click(screen.getAllByLabelText("Install")[1]!);
    await user.click(screen.getByRole("button", { name: "Add route" }));
    await waitFor(() => expect(path()).toBe(`/routes/${office.id}`));
    expect(await screen.findByText("Route Office added. Now choose who gets it.")).toBeDefined();
    expect(calls.calls(listHostsV2).at(-1)?.query["filter.search"]).toBe("we");
    expect(calls.calls(createRoute)[0]?.body).toMatchObject({
      name: "Office",
      routerHostID: host.id,
      routableCIDRs: { "192.168.4.0/24": { install: true }, "192.168.20.0/24": { install: false } },
      acceptWiderRules: false,
      firewallRules: [{ protocol: "ICMP", localCIDR: "0.0.0.0/0" }],
    });
  });

  it("says what is wrong with a network before it asks the server", async () => {
    api();
    const { user } = openAdd();
    await user.type(screen.getByLabelText("Name"), "Office");
    await user.type(network(1), "192.168.4.7/24");
    await user.click(screen.getByRole("button", { name: "Add route" }));
    expect(await screen.findByText("That is an address inside 192.168.4.0/24.")).toBeDefined();
    expect(document.activeElement).toBe(network(1));
    await user.clear(network(1));
    await user.type(network(1), "192.168.4.0");
    expect(await screen.findByText("A network is written like 192.168.4.0/24.")).toBeDefined();
  });
});

describe("editing a route", () => {
  it("says what a network more opens, and what a route without a router closes", async () => {
    const [printing] = office.firewallRules;
    api().on(getRoute, () => ({ ...office, firewallRules: [{ ...printing!, localCIDR: "0.0.0.0/0" }] }));
    const { user } = openEdit();
    await screen.findByDisplayValue("Office");
    const changes = within(screen.getByRole("region", { name: "What saving changes" }));
    const said = () => changes.queryAllByRole("listitem").map(({ textContent }) => textContent);
    expect(changes.getByText("For hosts that get the route, through its router.")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Add network" }));
    await user.type(network(3), "10.8.0.0/16");
    await waitFor(() => expect(said()).toEqual(["TCP 631 (Printing) from any host to 10.8.0.0/16"]));
    await user.click(routerInput());
    await user.click(await screen.findByRole("option", { name: "No router" }));
    await waitFor(() =>
      expect(said()).toEqual(["TCP 631 (Printing) from any host to 192.168.4.0/24 and 192.168.20.0/24"]),
    );
    expect(changes.getByText("Without a router nothing passes.")).toBeDefined();
  });

  it("shows its networks in order, and to which of them a rule leads", async () => {
    api();
    openEdit();
    await screen.findByDisplayValue("Office");
    expect([network(1).value, network(2).value]).toEqual(["192.168.4.0/24", "192.168.20.0/24"]);
    await waitFor(() => expect(routerInput().value).toBe(host.name));
    expect(screen.getByText(/^Allow/).textContent).toBe(
      "Allow TCP 631 (Printing) from any host to 192.168.4.0/24",
    );
    expect(document.title).toBe("Edit Office - Lightkeeper");
  });

  it("puts the refusal of a network on its line and of a rule's network on its rule", async () => {
    api().on(updateRoute, () => {
      throw new Failure(400, [
        {
          code: "ERR_INVALID_VALUE",
          message: "must not lie inside 192.168.0.0/16",
          path: "routableCIDRs.192.168.20.0/24",
        },
        { code: "ERR_INVALID_VALUE", message: "must be inside", path: "firewallRules[0].localCIDR" },
      ]);
    });
    const { user } = openEdit();
    await screen.findByDisplayValue("Office");
    await user.type(screen.getByLabelText("Name"), "2{Enter}");
    expect(await screen.findByText("must not lie inside 192.168.0.0/16")).toBeDefined();
    expect(network(2).getAttribute("aria-invalid")).toBe("true");
    expect(network(1).getAttribute("aria-invalid")).toBeNull();
    expect((await screen.findByLabelText("To network")).getAttribute("aria-invalid")).toBe("true");
  });

  it("says why an old router would open more, and saves once that is accepted", async () => {
    const calls = api().on(updateRoute, ({ body }) => {
      if (!body.acceptWiderRules)
        throw failure("ERR_RULES_WIDER", { path: "routerHostID", message: "the router runs Nebula 1.6.1" });
      return office;
    });
    const { user, path } = openEdit();
    await screen.findByDisplayValue("Office");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("The router runs Nebula 1.6.1.")).toBeDefined();
    await user.click(screen.getByLabelText(/^Accept that/));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(path()).toBe("/routes"));
    expect(calls.calls(updateRoute).map(({ body }) => body.acceptWiderRules)).toEqual([false, true]);
  });
});

describe("who gets a route", () => {
  const replace = (body: { routeSubscriptions?: string[] }): Tag => ({ ...subscribed, ...body });

  it("lets a tag go at once, keeping what else it says, and takes it back on Undo", async () => {
    let current = subscribed;
    const calls = api()
      .on(listTags, () => page([current, other]))
      .on(getTag, () => current)
      .on(updateTag, ({ body }) => (current = replace(body)));
    const { user } = openEdit();
    await user.click(await screen.findByRole("button", { name: "Remove tag env:prod" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByRole("button", { name: "Remove tag env:prod" })).toBeDefined();
    await waitFor(() => expect(calls.calls(updateTag)).toHaveLength(2));
    expect(calls.calls(updateTag).map(({ params, body }) => [params.tag, body.routeSubscriptions])).toEqual([
      ["env:prod", []],
      ["env:prod", [office.id]],
    ]);
    expect(calls.calls(updateTag)[0]?.body).toMatchObject({ description: "Live", configOverrides: [] });
  });

  it("gives it to another tag", async () => {
    const calls = api()
      .on(getTag, () => other)
      .on(updateTag, ({ body }) => replace(body));
    const { user } = openEdit();
    await screen.findByRole("button", { name: "Remove tag env:prod" });
    await user.type(screen.getByLabelText("Hosts with any of these tags"), "dev");
    await user.click(await screen.findByText("env:dev"));
    await waitFor(() => expect(calls.calls(updateTag)[0]?.params).toEqual({ tag: "env:dev" }));
    expect(calls.calls(updateTag)[0]?.body.routeSubscriptions).toEqual([office.id]);
    expect(await screen.findByText(`Hosts with env:dev now get Office`)).toBeDefined();
  });
});

it("leaves a route that does not exist to the 404 page [S8.1]", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  api().on(getRoute, () => {
    throw failure("ERR_NOT_FOUND");
  });
  openEdit();
  expect(await screen.findByText("The page failed")).toBeDefined();
  expect(within(document.body).queryByText("Save")).toBeNull();
  noise.mockRestore();
});
