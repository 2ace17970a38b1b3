import {
  createHostV2,
  getHostV2,
  listNetworksV2,
  listRoles,
  listTags,
  previewAccess,
  updateHostV3,
  type HostV2,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host, network, role, tag } from "../testing/samples.ts";
import { failure, Failure, page, transport, type Transport } from "../testing/transport.ts";
import { HostAddPage } from "./host-add-page.tsx";
import { HostEditPage } from "./host-edit-page.tsx";

beforeEach(signIn);

const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };

function served(networks = [network]): Transport {
  return transport()
    .on(listNetworksV2, () => page(networks))
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]));
}

function open(at: string) {
  return renderRoutes(
    [
      ...["/hosts", "/lighthouses", "/relays"].flatMap((path) => [
        { path: `${path}/add`, element: <HostAddPage /> },
        { path: `${path}/:hostID/edit`, element: <HostEditPage /> },
      ]),
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
}

const field = (name: string) => screen.findByRole<HTMLInputElement>("textbox", { name });

it("adds a host with only a name and continues to enroll it [S2.7]", async () => {
  const api = served().on(createHostV2, () => host);
  const { user, path } = open("/hosts/add");
  await user.type(await field("Name"), "web-1{Enter}");
  expect(await screen.findByText("web-1 added")).toBeDefined();
  expect(path()).toBe(`/hosts/${host.id}/enroll`);
  expect(api.calls(createHostV2)[0]?.body).toEqual({
    name: "web-1",
    networkID: network.id,
    roleID: null,
    tags: [],
    staticAddresses: [],
    listenPort: 0,
    configOverrides: [],
    description: "",
    owner: "",
    isLighthouse: false,
    isRelay: false,
  });
});

it("sends the chosen network, role and tags, also by Ctrl+Enter", async () => {
  const api = served([network, staging]).on(createHostV2, () => host);
  const { user } = open("/hosts/add");
  expect(document.title).toBe("Add host - Lightkeeper");
  await user.type(await field("Name"), "web-2");
  await user.click(screen.getByRole("combobox", { name: "Network" }));
  await user.click(await screen.findByRole("option", { name: /Staging/ }));
  await user.click(screen.getByRole("combobox", { name: "Role" }));
  await user.click(await screen.findByRole("option", { name: new RegExp(role.name) }));
  await user.click(screen.getByRole("combobox", { name: /^Tags/ }));
  await user.click(await screen.findByRole("option", { name: new RegExp(tag.name) }));
  await user.keyboard("{Control>}{Enter}{/Control}");
  await screen.findByText("Elsewhere");
  expect(api.calls(createHostV2)[0]?.body).toMatchObject({
    name: "web-2",
    networkID: staging.id,
    roleID: role.id,
    tags: [tag.name],
  });
});

it("sends the addresses and the port that were typed, and no empty lines", async () => {
  const api = served().on(createHostV2, () => host);
  const { user } = open("/hosts/add");
  await user.type(await field("Name"), "web-2");
  await user.type(screen.getByRole("textbox", { name: /^Address/ }), "100.100.0.44");
  await user.click(screen.getByRole("button", { name: "Add another static address" }));
  await user.type(screen.getByRole("textbox", { name: "Static addresses 2" }), "web.example.com:4242");
  await user.type(screen.getByRole("spinbutton", { name: /^Listen port/ }), "4242{Enter}");
  await screen.findByText("Elsewhere");
  expect(api.calls(createHostV2)[0]?.body).toMatchObject({
    ipAddresses: ["100.100.0.44"],
    staticAddresses: ["web.example.com:4242"],
    listenPort: 4242,
  });
});

it("preselects the network of the filter", async () => {
  sessionStorage.setItem("filterNetworkId", staging.id);
  served([network, staging]);
  open("/hosts/add");
  expect((await screen.findByRole<HTMLInputElement>("combobox", { name: "Network" })).value).toBe("Staging");
});

it("requires a name and a network, and a static address for a lighthouse", async () => {
  const api = served([network, staging]);
  const { user } = open("/lighthouses/add");
  const port = await screen.findByRole<HTMLInputElement>("spinbutton", { name: "Listen port" });
  expect(port.value).toBe("4242");
  await user.clear(port);
  await user.click(screen.getByRole("button", { name: "Add lighthouse" }));
  const errors = (await screen.findAllByRole("alert")).map((alert) => alert.textContent);
  expect(errors).toEqual([
    "Enter a name (up to 255 characters).",
    "Choose a network.",
    "Enter at least one address that every host can reach, such as 203.0.113.7:4242.",
    "Enter a fixed port, so that hosts can find this lighthouse.",
  ]);
  await user.type(screen.getByRole("textbox", { name: "Static addresses 1" }), "203.0.113.7");
  await user.click(screen.getByRole("button", { name: "Add lighthouse" }));
  expect(
    await screen.findByText(
      "203.0.113.7 isn’t valid. Enter an IP address or DNS name with a port, such as 203.0.113.7:4242 or [2001:db8::7]:4242.",
    ),
  ).toBeDefined();
  expect(api.calls(createHostV2)).toHaveLength(0);
});

it.each([
  [
    "name",
    failure("ERR_DUPLICATE_VALUE", { path: "name" }),
    "Another host in this network has this name. Enter a different name.",
  ],
  [
    "address",
    failure("ERR_DUPLICATE_VALUE", { path: "ipAddresses[0]" }),
    "Another host has this address. Leave the field empty to use the next free one.",
  ],
  [
    "static address",
    failure("ERR_INVALID_VALUE", { path: "staticAddresses[0]", message: "must be a host with a port" }),
    "must be a host with a port",
  ],
  [
    "whole form",
    failure("ERR_NETWORK_FULLY_ALLOCATED"),
    "All addresses in this network are in use. Choose another network, or delete hosts in this one.",
  ],
  [
    "plan",
    failure("ERR_LIMIT_EXCEEDED", { extra: { limit: 100 } }),
    "Your plan is limited to 100 hosts, and you’ve reached the limit.Go to billing",
  ],
])("shows server errors at their field: %s", async (_, error: Failure, message) => {
  served().on(createHostV2, () => {
    throw error;
  });
  const { user } = open("/hosts/add");
  await user.type(await field("Name"), "web-1");
  await user.type(screen.getByRole("textbox", { name: "Static addresses 1" }), "web.example.com:1{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe(message);
});

it("edits only what can be changed and goes back to the host", async () => {
  const one: HostV2 = {
    ...enrolledHost,
    roleID: role.id,
    tags: [tag.name],
    staticAddresses: ["203.0.113.7:4242", "203.0.113.8:4242"],
    listenPort: 4242,
    description: "Serves pages",
    owner: "Platform team",
  };
  const api = served()
    .on(getHostV2, () => one)
    .on(updateHostV3, ({ body }) => ({ ...one, name: body.name ?? one.name }));
  const { user, path } = open(`/hosts/${host.id}/edit`);
  const name = await field("Name");
  expect(document.title).toBe("Edit web-1 - Lightkeeper");
  expect(screen.queryByRole("combobox", { name: "Network" })).toBeNull();
  await user.clear(name);
  await user.type(name, "web-9");
  await user.clear(screen.getByRole("textbox", { name: /^Owner/ }));
  await user.type(screen.getByRole("textbox", { name: /^Owner/ }), "Data team");
  await user.click(screen.getByRole("button", { name: `Remove tag ${tag.name}` }));
  await user.click(screen.getByRole("button", { name: "Remove static address 1" }));
  await user.clear(screen.getByRole("spinbutton", { name: /^Listen port/ }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("web-9 saved")).toBeDefined();
  expect(path()).toBe(`/hosts/${host.id}`);
  expect(api.calls(updateHostV3)[0]?.body).toEqual({
    name: "web-9",
    roleID: role.id,
    tags: [],
    staticAddresses: ["203.0.113.8:4242"],
    listenPort: 0,
    configOverrides: [],
    description: "Serves pages",
    owner: "Data team",
  });
});

it("redirects the edit page of a relay to its own path [S2.9]", async () => {
  served().on(getHostV2, () => ({ ...enrolledHost, isRelay: true, listenPort: 4242 }));
  const { path } = open(`/hosts/${host.id}/edit`);
  await field("Name");
  expect(path()).toBe(`/relays/${host.id}/edit`);
});

it("asks before it discards unsaved changes", async () => {
  served().on(getHostV2, () => enrolledHost);
  const { user } = open(`/hosts/${host.id}/edit`);
  await user.type(await field("Name"), "x");
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  const dialog = within(await screen.findByRole("alertdialog"));
  await user.click(dialog.getByRole("button", { name: "Leave" }));
  expect(await screen.findByText("Elsewhere")).toBeDefined();
});

it("previews a new role before it is saved", async () => {
  const api = served().on(getHostV2, () => host);
  const { user } = open(`/hosts/${host.id}/edit`);
  await user.click(await screen.findByRole("combobox", { name: "Role" }));
  await user.click(await screen.findByRole("option", { name: role.name }));
  await waitFor(() =>
    expect(api.calls(previewAccess).at(-1)?.body.mutations).toMatchObject([
      { method: "PUT", path: `/v3/hosts/${host.id}`, body: { name: host.name, roleID: role.id } },
    ]),
  );
  expect(
    within(screen.getByRole("region", { name: "Preview changes" })).getByText("No change to access."),
  ).toBeDefined();
});

it("previews a new host once it has a name", async () => {
  const api = served();
  const { user } = open("/hosts/add");
  await user.type(await field("Name"), "web-1");
  await waitFor(() =>
    expect(api.calls(previewAccess).at(-1)?.body.mutations).toMatchObject([
      { method: "POST", path: "/v2/hosts", body: { name: "web-1", networkID: network.id } },
    ]),
  );
});

it("preselects the role Lighthouse for a lighthouse, and no role for other hosts", async () => {
  const lighthouseRole = { ...role, id: `role-${"L".repeat(26)}`, name: "Lighthouse" };
  const api = served()
    .on(listRoles, () => page([role, lighthouseRole]))
    .on(createHostV2, () => ({ ...host, isLighthouse: true }));
  const { user } = open("/lighthouses/add");
  await user.type(await field("Name"), "beacon");
  await user.type(await field("Static addresses 1"), "203.0.113.7:4242{Enter}");
  await waitFor(() => expect(api.calls(createHostV2)[0]?.body).toMatchObject({ roleID: lighthouseRole.id }));
});

it("keeps what was typed while the roles are loaded", async () => {
  const lighthouseRole = { ...role, id: `role-${"L".repeat(26)}`, name: "Lighthouse" };
  let respond = () => {};
  const response = new Promise<void>((resolve) => (respond = resolve));
  served().on(listRoles, async () => {
    await response;
    return page([role, lighthouseRole]);
  });
  const { user } = open("/hosts/add");
  await user.type(await field("Name"), "web-1");
  await user.click(screen.getByRole("combobox", { name: "Role" }));
  respond();
  await screen.findByRole("option", { name: new RegExp(role.name) });
  expect((await field("Name")).value).toBe("web-1");
  expect(screen.getByRole<HTMLInputElement>("combobox", { name: "Role" }).value).toBe("");
});

it("adds a lighthouse without a role if the organization has none with that name, or roles can't be loaded", async () => {
  const api = served()
    .on(listRoles, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR");
    })
    .on(createHostV2, () => ({ ...host, isLighthouse: true }));
  const { user } = open("/lighthouses/add");
  await user.type(await field("Name"), "beacon");
  await user.type(await field("Static addresses 1"), "203.0.113.7:4242{Enter}");
  await waitFor(() => expect(api.calls(createHostV2)[0]?.body).toMatchObject({ roleID: null }));
});
