import { createHostV2, listNetworksV2, listRoles, listTags, type NetworkV2 } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderRoutes, signIn, type RenderedRoutes } from "../testing/render.tsx";
import { host, network } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { HostAddPage } from "./host-add-page.tsx";

beforeEach(signIn);

const withCidrs = (name: string, ...cidrs: string[]): NetworkV2 => ({
  ...network,
  id: `network-${name.toUpperCase().padEnd(26, "A")}`,
  name,
  cidrs,
  certVersion: cidrs.some((cidr) => cidr.includes(":")) ? 2 : 1,
});
const ipv4Only = withCidrs("Old", "100.100.0.0/22");
const ipv6Only = withCidrs("New", "fd12::/64");
const both = withCidrs("Both", "10.1.0.0/16", "fd13::/64");

async function open(networks: NetworkV2[], path = "/hosts/add") {
  const api = transport()
    .on(listNetworksV2, () => page(networks))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([]))
    .on(createHostV2, () => host);
  const rendered = renderRoutes(
    [
      { path, element: <HostAddPage /> },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    path,
  );
  await rendered.user.type(await screen.findByRole("textbox", { name: "Name" }), "web-1");
  return { ...rendered, api };
}

const input = (name: RegExp) => screen.getByRole<HTMLInputElement>("textbox", { name });
const assignIpv4 = () => screen.getByRole("checkbox", { name: "Assign an IPv4 address" });
const sentAddresses = (api: Transport) => api.calls(createHostV2)[0]?.body.ipAddresses;

async function submit({ user }: Pick<RenderedRoutes, "user">, label = "Add host") {
  await user.click(screen.getByRole("button", { name: label }));
}

async function choose({ user }: Pick<RenderedRoutes, "user">, name: string) {
  await user.click(screen.getByRole("combobox", { name: "Network" }));
  await user.click(await screen.findByRole("option", { name: new RegExp(name) }));
}

it("has one address field in a network with one range", async () => {
  const { user, api } = await open([ipv6Only]);
  expect(screen.queryByRole("checkbox", { name: "Assign an IPv4 address" })).toBeNull();
  await user.type(input(/^Address/), " fd12::44 ");
  await submit({ user });
  await screen.findByText("Elsewhere");
  expect(sentAddresses(api)).toEqual(["fd12::44"]);
});

it("requests a free IPv4 address in a network with both families by default", async () => {
  const { user, api } = await open([both]);
  await submit({ user });
  await screen.findByText("Elsewhere");
  expect(sentAddresses(api)).toEqual(["10.1.0.0/16"]);
});

it("requests only an IPv6 address if so chosen", async () => {
  const { user, api } = await open([both]);
  await user.type(input(/^IPv4 address/), "not an address");
  await user.click(assignIpv4());
  expect(screen.queryByRole("textbox", { name: /^IPv4 address/ })).toBeNull();
  await submit({ user });
  await screen.findByText("Elsewhere");
  expect(sentAddresses(api)).toBeUndefined();
});

it("sends an address of each family, IPv4 first, also for a lighthouse", async () => {
  const { user, api } = await open([both], "/lighthouses/add");
  await user.type(input(/^IPv6 address/), "fd13::1");
  await user.type(input(/^IPv4 address/), "10.1.4.0/24");
  await user.type(input(/^Static addresses 1/), "[[2001:db8::7]:4242");
  await submit({ user }, "Add lighthouse");
  await screen.findByText("Elsewhere");
  expect(api.calls(createHostV2)[0]?.body).toMatchObject({
    ipAddresses: ["10.1.4.0/24", "fd13::1"],
    staticAddresses: ["[2001:db8::7]:4242"],
  });
});

it("shows the fields of the chosen network, without what was typed for another", async () => {
  const { user, api } = await open([ipv4Only, ipv6Only, both]);
  await user.type(input(/^Address/), "100.100.0.9");
  await choose({ user }, "New");
  expect(input(/^Address/).value).toBe("");
  await choose({ user }, "Both");
  expect(input(/^IPv6 address/).value).toBe("");
  await choose({ user }, "New");
  await submit({ user });
  await screen.findByText("Elsewhere");
  expect(sentAddresses(api)).toBeUndefined();
});

it("rejects an address outside the network before it calls the server", async () => {
  const { user, api } = await open([both]);
  await user.type(input(/^IPv4 address/), "10.2.0.1");
  await user.type(input(/^IPv6 address/), "fd14::1");
  await submit({ user });
  expect((await screen.findAllByRole("alert")).map(({ textContent }) => textContent)).toEqual([
    "10.2.0.1 isn’t a host address in 10.1.0.0/16.",
    "fd14::1 isn’t a host address in fd13::/64.",
  ]);
  expect(api.calls(createHostV2)).toEqual([]);
});

it.each([
  ["ipAddresses[0]", /^IPv4 address/],
  ["ipAddresses[1]", /^IPv6 address/],
])("shows an error at %s beside its field", async (path, label) => {
  const { user, api } = await open([both]);
  api.on(createHostV2, () => {
    throw failure("ERR_DUPLICATE_VALUE", { path });
  });
  await user.type(input(/^IPv6 address/), "fd13::1");
  await submit({ user });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/^Another host has this address\./);
  expect(input(label).getAttribute("aria-describedby")).toBe(alert.id);
});

it.each([
  ["the network", /^IPv4 address/, async () => undefined],
  [
    "the typed range",
    /^IPv6 address/,
    async ({ user }: RenderedRoutes) => {
      await user.click(assignIpv4());
      await user.type(input(/^IPv6 address/), "fd13::8:0/112");
    },
  ],
])("shows beside its field that %s has no free address", async (_, label, fill) => {
  const rendered = await open([both]);
  rendered.api.on(createHostV2, () => {
    throw failure("ERR_NETWORK_FULLY_ALLOCATED");
  });
  await fill(rendered);
  await submit(rendered);
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe(
    "All addresses in this range are in use. Enter another range, or an address.",
  );
  expect(input(label).getAttribute("aria-describedby")).toBe(alert.id);
});
