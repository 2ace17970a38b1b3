import {
  createRoute,
  getHostV2,
  getRoute,
  getTag,
  listHostsV2,
  listRoles,
  listTags,
  previewAccess,
  updateRoute,
  updateTag,
  type Route,
  type Tag,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { brokenGuarantee, changedAccess } from "../testing/preview-samples.ts";
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
const devTag: Tag = { ...tag, name: "env:dev", priority: 2 };

const api = () =>
  transport()
    .on(getRoute, () => office)
    .on(getHostV2, () => host)
    .on(listHostsV2, () => page([host]))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([subscribed, devTag]));
const openAdd = () => renderPage(<RouteAddPage />, { route: "/routes/add" });
const openEdit = () =>
  renderPage(<RouteEditPage />, { route: "/routes/:routeID", at: `/routes/${office.id}` });
const subnet = (number: number) => screen.getByLabelText<HTMLInputElement>(`Subnet ${number}`);
const routerInput = () => screen.getByLabelText<HTMLInputElement>("Router");

describe("adding a route", () => {
  it("accepts a router found by name and subnets pasted as a list [S1.5] [S2.12]", async () => {
    const calls = api().on(createRoute, () => office);
    const { user, path } = openAdd();
    expect(document.title).toBe("Add route - Lightkeeper");
    await user.type(screen.getByLabelText("Name"), "Office");
    await user.type(routerInput(), "we");
    await user.click(await screen.findByText(host.name));
    await user.click(subnet(1));
    await user.paste("192.168.4.0/24, 192.168.20.0/24");
    await user.click(screen.getAllByLabelText("Install")[1]!);
    await user.click(screen.getByRole("button", { name: "Add route" }));
    await waitFor(() => expect(path()).toBe(`/routes/${office.id}`));
    expect(await screen.findByText("Route Office added. Now choose the tags it applies to.")).toBeDefined();
    expect(calls.calls(listHostsV2).at(-1)?.query["filter.search"]).toBe("we");
    expect(calls.calls(createRoute)[0]?.body).toMatchObject({
      name: "Office",
      routerHostID: host.id,
      routableCIDRs: { "192.168.4.0/24": { install: true }, "192.168.20.0/24": { install: false } },
      acceptWiderRules: false,
      firewallRules: [{ protocol: "ICMP", localCIDR: "0.0.0.0/0" }],
    });
  });

  it("shows the problem of a subnet before it calls the server", async () => {
    api();
    const { user } = openAdd();
    await user.type(screen.getByLabelText("Name"), "Office");
    await user.type(subnet(1), "192.168.4.7/24");
    await user.click(screen.getByRole("button", { name: "Add route" }));
    expect(await screen.findByText("Enter the start of the subnet: 192.168.4.0/24.")).toBeDefined();
    expect(document.activeElement).toBe(subnet(1));
    await user.clear(subnet(1));
    await user.type(subnet(1), "192.168.4.0");
    expect(await screen.findByText("Enter a subnet such as 192.168.4.0/24 or fd00:4::/64.")).toBeDefined();
  });
});

describe("a route with IPv6 subnets", () => {
  const dual: Route = {
    ...office,
    routableCIDRs: { "192.168.4.0/24": { install: true }, "fd00:4::/64": { install: true } },
    firewallRules: [{ ...office.firewallRules[0]!, localCIDR: "::/0" }],
  };

  it("is added, each subnet once, whatever its form", async () => {
    const calls = api().on(createRoute, () => office);
    const { user } = openAdd();
    await user.type(screen.getByLabelText("Name"), "Office");
    await user.click(subnet(1));
    await user.paste("fd00:4::/64 FD00:4:0::/64");
    await user.click(screen.getByRole("button", { name: "Add route" }));
    expect(await screen.findByText("This subnet is already in the list.")).toBeDefined();
    await user.clear(subnet(2));
    await user.type(subnet(2), "fd00:5::7/64");
    expect(await screen.findByText("Enter the start of the subnet: fd00:5::/64.")).toBeDefined();
    await user.clear(subnet(2));
    await user.type(subnet(2), "fd00:5::/64");
    await user.click(screen.getByRole("button", { name: "Add route" }));
    await waitFor(() => expect(calls.calls(createRoute)).toHaveLength(1));
    expect(calls.calls(createRoute)[0]?.body.routableCIDRs).toEqual({
      "fd00:4::/64": { install: true },
      "fd00:5::/64": { install: true },
    });
  });

  it("offers all subnets and all IPv6 subnets for a rule", async () => {
    api().on(getRoute, () => dual);
    const { user } = openEdit();
    await screen.findByDisplayValue("Office");
    expect(screen.getByText(/^Allow/).textContent).toBe(
      "Allow TCP 631 (Printing) from any host to all IPv6 subnets of the route",
    );
    await user.click(screen.getByRole("button", { name: /Allow TCP 631/ }));
    const target = await screen.findByLabelText<HTMLSelectElement>("To subnet");
    expect([...target.options].map(({ text }) => text)).toEqual([
      "All subnets of the route",
      "All IPv6 subnets of the route",
      "192.168.4.0/24",
      "fd00:4::/64",
    ]);
  });

  it("shows a server error at its subnet", async () => {
    api()
      .on(getRoute, () => dual)
      .on(updateRoute, () => {
        throw failure("ERR_INVALID_VALUE", { path: "routableCIDRs.fd00:4::/64", message: "is taken" });
      });
    const { user } = openEdit();
    await screen.findByDisplayValue("Office");
    await user.type(screen.getByLabelText("Name"), "2{Enter}");
    expect(await screen.findByText("is taken")).toBeDefined();
    expect(subnet(2).getAttribute("aria-invalid")).toBe("true");
  });
});

describe("editing a route", () => {
  it("previews another subnet and a missing router", async () => {
    const calls = api();
    const { user } = openEdit();
    await screen.findByDisplayValue("Office");
    const preview = () => within(screen.getByRole("region", { name: "Preview changes" }));
    expect(preview().getByText("Applies to hosts with this route.")).toBeDefined();
    const previewed = () => calls.calls(previewAccess).at(-1)?.body.mutations[0];
    await user.click(screen.getByRole("button", { name: "Add subnet" }));
    await user.type(subnet(3), "10.8.0.0/16");
    await waitFor(() =>
      expect(previewed()).toMatchObject({
        method: "PUT",
        path: `/v1/routes/${office.id}`,
        body: { routerHostID: host.id, routableCIDRs: { "10.8.0.0/16": { install: true } } },
      }),
    );
    await user.click(routerInput());
    await user.click(await screen.findByRole("option", { name: "No router" }));
    await waitFor(() => expect(previewed()).toMatchObject({ body: { routerHostID: null } }));
    expect(preview().getByText("Without a router, no traffic is forwarded.")).toBeDefined();
  });

  it("shows its subnets in order, and the subnet of each rule", async () => {
    api();
    openEdit();
    await screen.findByDisplayValue("Office");
    expect([subnet(1).value, subnet(2).value]).toEqual(["192.168.4.0/24", "192.168.20.0/24"]);
    await waitFor(() => expect(routerInput().value).toBe(host.name));
    expect(screen.getByText(/^Allow/).textContent).toBe(
      "Allow TCP 631 (Printing) from any host to 192.168.4.0/24",
    );
    expect(document.title).toBe("Edit Office - Lightkeeper");
  });

  it("shows server errors at their subnet and at their rule", async () => {
    api().on(updateRoute, () => {
      throw new Failure(400, [
        {
          code: "ERR_INVALID_VALUE",
          message: "must not be inside 192.168.0.0/16",
          path: "routableCIDRs.192.168.20.0/24",
        },
        { code: "ERR_INVALID_VALUE", message: "must be inside", path: "firewallRules[0].localCIDR" },
      ]);
    });
    const { user } = openEdit();
    await screen.findByDisplayValue("Office");
    await user.type(screen.getByLabelText("Name"), "2{Enter}");
    expect(await screen.findByText("must not be inside 192.168.0.0/16")).toBeDefined();
    expect(subnet(2).getAttribute("aria-invalid")).toBe("true");
    expect(subnet(1).getAttribute("aria-invalid")).toBeNull();
    expect((await screen.findByLabelText("To subnet")).getAttribute("aria-invalid")).toBe("true");
  });

  it("says why an old router would allow more, and saves once that is accepted", async () => {
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

describe("tags of a route", () => {
  const replace = (body: { routeSubscriptions?: string[] }): Tag => ({ ...subscribed, ...body });

  it("removes a tag after a preview, and keeps its other values", async () => {
    let current = subscribed;
    const calls = api()
      .on(listTags, () => page([current, devTag]))
      .on(getTag, () => current)
      .on(previewAccess, () => changedAccess)
      .on(updateTag, ({ body }) => (current = replace(body)));
    const { user } = openEdit();
    await user.click(await screen.findByRole("button", { name: "Remove tag env:prod" }));
    const dialog = within(
      await screen.findByRole("alertdialog", { name: "Remove Office from hosts with env:prod?" }),
    );
    expect(await dialog.findByText(/^Opens 54 pairs of hosts/, { selector: "summary" })).toBeDefined();
    const body = { description: "Live", configOverrides: [], routeSubscriptions: [] };
    expect(calls.calls(previewAccess)[0]?.body.mutations).toEqual([
      { method: "PUT", path: "/v1/tags/env%3Aprod", body },
    ]);
    expect(calls.calls(updateTag)).toHaveLength(0);
    await user.click(dialog.getByRole("button", { name: "Remove route" }));
    expect(await screen.findByText("Office no longer applies to hosts with env:prod")).toBeDefined();
    expect(calls.calls(updateTag)).toMatchObject([{ params: { tag: "env:prod" }, body }]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove tag env:prod" })).toBeNull());
  });

  async function chooseDevTag() {
    const { user } = openEdit();
    await screen.findByRole("button", { name: "Remove tag env:prod" });
    await user.type(screen.getByLabelText("Hosts with any of these tags"), "dev");
    await user.click(await screen.findByText("env:dev"));
    const name = "Apply Office to hosts with env:dev?";
    return { user, dialog: within(await screen.findByRole("alertdialog", { name })) };
  }

  it("adds another tag", async () => {
    const calls = api()
      .on(getTag, () => devTag)
      .on(updateTag, ({ body }) => replace(body));
    const { user, dialog } = await chooseDevTag();
    const apply = dialog.getByRole("button", { name: "Apply route" });
    await waitFor(() => expect(apply).toHaveProperty("disabled", false));
    await user.click(apply);
    expect(await screen.findByText("Office now applies to hosts with env:dev")).toBeDefined();
    expect(calls.calls(updateTag)).toMatchObject([
      { params: { tag: "env:dev" }, body: { routeSubscriptions: [office.id] } },
    ]);
  });

  it("explains which guarantee a tag would break, and changes nothing", async () => {
    const calls = api()
      .on(getTag, () => devTag)
      .on(updateTag, () => {
        throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
      });
    const { user, dialog } = await chooseDevTag();
    const apply = dialog.getByRole("button", { name: "Apply route" });
    await waitFor(() => expect(apply).toHaveProperty("disabled", false));
    await user.click(apply);
    expect(await dialog.findByRole("group", { name: "Breaks a guarantee" })).toBeDefined();
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(screen.queryByRole("button", { name: "Remove tag env:dev" })).toBeNull();
    expect(calls.calls(updateTag)).toHaveLength(1);
  });

  it("says why a tag can’t be loaded", async () => {
    api().on(getTag, () => {
      throw failure("ERR_NOT_FOUND");
    });
    const { dialog } = await chooseDevTag();
    expect((await dialog.findByRole("alert")).textContent).toBe("This tag no longer exists.");
    expect(dialog.queryByText("Checking…")).toBeNull();
    expect(dialog.getByRole("button", { name: "Apply route" })).toHaveProperty("disabled", true);
  });
});

it("shows the 404 page for a route that does not exist [S8.1]", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  api().on(getRoute, () => {
    throw failure("ERR_NOT_FOUND");
  });
  openEdit();
  expect(await screen.findByText("The page failed")).toBeDefined();
  expect(within(document.body).queryByText("Save")).toBeNull();
  noise.mockRestore();
});
