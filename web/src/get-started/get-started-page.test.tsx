import {
  createNetworkV2,
  getGetStarted,
  listHostsV2,
  listNetworksV2,
  type GetStarted,
} from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { enrolledHost, host, network } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { GetStartedPage } from "./get-started-page.tsx";

beforeEach(signIn);

const open = () => renderPage(<GetStartedPage />, { route: "/get-started" });
const nameInput = () => screen.findByLabelText<HTMLInputElement>("Name");
const cidrInput = () => screen.getByLabelText<HTMLInputElement>(/^CIDR/);
const started: GetStarted = {
  hasNetwork: true,
  hasLighthouse: false,
  hasEnrolledLighthouse: false,
  enrolledHostCount: 0,
  hasTunnel: false,
};
const serve = (progress: Partial<GetStarted> = {}) =>
  transport()
    .on(listNetworksV2, () => page([network]))
    .on(getGetStarted, () => ({ ...started, ...progress }))
    .on(listHostsV2, () => page([]));
const withoutNetworks = () => serve().on(listNetworksV2, () => page([]));
const steps = () => screen.getAllByRole("listitem").map(({ textContent }) => textContent);
const doneSteps = () => steps().filter((step) => step.includes("(done)")).length;
const current = () => within(document.querySelector<HTMLElement>('[aria-current="step"]')!);
const submit = () => screen.getByRole("button", { name: "Create network" });

it("asks for the first network and suggests a range [S2.5] [S7.24]", async () => {
  const api = withoutNetworks();
  open();
  const input = await nameInput();
  expect(document.activeElement).toBe(input);
  expect(input.placeholder).toBe("Network1");
  expect(cidrInput().value).toBe("100.100.0.0/22");
  expect(document.title).toBe("Get started - Lightkeeper");
  expect(api.calls(listNetworksV2)[0]?.query).toEqual({ includeCounts: "true", pageSize: "1" });
});

it("creates the network and shows the next steps [S4.13] [S7.12]", async () => {
  const api = withoutNetworks().on(createNetworkV2, () => network);
  const { user, path } = open();
  await user.type(await nameInput(), "Production");
  api.on(listNetworksV2, () => page([network]));
  await user.click(submit());
  const heading = await screen.findByRole("heading", { name: "Set up your network" });
  expect(document.activeElement).toBe(heading);
  expect(api.calls(createNetworkV2)[0]?.body).toEqual({ name: "Production", cidrs: ["100.100.0.0/22"] });
  expect(steps()[0]).toBe("Create a network (done)Production · 100.100.0.0/22");
  expect(doneSteps()).toBe(1);
  await user.click(screen.getByRole("link", { name: "Go to networks" }));
  expect(path()).toBe("/settings/networks");
});

it("lets the server choose the range if none is entered", async () => {
  const api = withoutNetworks().on(createNetworkV2, () => network);
  const { user } = open();
  await user.type(await nameInput(), "Production");
  await user.clear(cidrInput());
  await user.keyboard("{Control>}{Enter}{/Control}");
  await vi.waitFor(() => expect(api.calls(createNetworkV2)[0]?.body).toEqual({ name: "Production" }));
});

describe("the checklist [S2.5]", () => {
  const lighthouse = { ...host, name: "light", isLighthouse: true };
  const enrolledLighthouse = { hasLighthouse: true, hasEnrolledLighthouse: true };

  it.each<[string, Partial<GetStarted>, number, string, string]>([
    ["a lighthouse", {}, 1, "Add lighthouse", "/lighthouses/add"],
    ["a first host", enrolledLighthouse, 2, "Add host", "/hosts/add"],
    ["a second host", { ...enrolledLighthouse, enrolledHostCount: 1 }, 3, "Add host", "/hosts/add"],
  ])("continues with %s", async (_, progress, done, label, to) => {
    serve(progress);
    open();
    expect(await screen.findByRole("heading", { name: "Set up your network" })).toBeDefined();
    expect(doneSteps()).toBe(done);
    expect(current().getByRole("link", { name: label }).getAttribute("href")).toBe(to);
    expect(screen.queryByLabelText("Name")).toBeNull();
  });

  it("links to the enrollment of a host that was added but never enrolled", async () => {
    serve({ hasLighthouse: true }).on(listHostsV2, () => page([host, lighthouse]));
    open();
    const link = await screen.findByRole("link", { name: "Enroll light" });
    expect(link.getAttribute("href")).toBe(`/lighthouses/${host.id}/enroll`);
    expect(screen.queryByRole("link", { name: "Enroll web-1" })).toBeNull();
  });

  it("has the exact ping command for two online hosts in one network", async () => {
    const other = { ...enrolledHost, name: "db-1", ipAddresses: ["100.100.0.9"] };
    const stranger = { ...enrolledHost, name: "far-1", networkID: `network-${"B".repeat(26)}` };
    serve({ ...enrolledLighthouse, enrolledHostCount: 2 }).on(listHostsV2, ({ query }) =>
      page(query["filter.status"] === "online" ? [stranger, enrolledHost, other] : []),
    );
    open();
    expect(await screen.findByText("ping -c 3 100.100.0.9")).toBeDefined();
    expect(current().getByText("web-1")).toBeDefined();
  });

  it("pings an address of a family that both hosts have", async () => {
    const ipv6Only = { ...enrolledHost, ipAddresses: ["fd12::7"] };
    const both = { ...enrolledHost, name: "db-1", ipAddresses: ["100.100.0.9", "fd12::9"] };
    serve({ ...enrolledLighthouse, enrolledHostCount: 2 }).on(listHostsV2, ({ query }) =>
      page(query["filter.status"] === "online" ? [ipv6Only, both] : []),
    );
    open();
    expect(await screen.findByText("ping -c 3 fd12::9")).toBeDefined();
  });

  it("shows that the hosts aren't online", async () => {
    serve({ ...enrolledLighthouse, enrolledHostCount: 2 });
    open();
    expect(await screen.findByText(/Neither host is online/)).toBeDefined();
  });

  it("checks off a step as soon as it is done, and ends when all are", async () => {
    const api = serve({ ...enrolledLighthouse, enrolledHostCount: 1 });
    open();
    await screen.findByRole("heading", { name: "Set up your network" });
    await tick(api, { ...enrolledLighthouse, enrolledHostCount: 2 });
    await waitFor(() => expect(doneSteps()).toBe(4));
    await tick(api, { ...enrolledLighthouse, enrolledHostCount: 2, hasTunnel: true });
    expect(await screen.findByRole("heading", { name: "Your network is up" })).toBeDefined();
    expect(doneSteps()).toBe(5);
    expect(screen.getByRole("link", { name: "Go to hosts" }).getAttribute("href")).toBe("/hosts");
  });

  async function tick(api: Transport, progress: Partial<GetStarted>) {
    api.on(getGetStarted, () => ({ ...started, ...progress }));
    await act(() => invalidateNoun("get-started"));
  }

  it("shows that it couldn't be loaded, and retries", async () => {
    const api = serve().on(getGetStarted, () => {
      throw failure("ERR_UNAVAILABLE", {}, "request-5");
    });
    const { user } = open();
    expect((await screen.findByRole("alert")).textContent).toContain("request-5");
    api.on(getGetStarted, () => started);
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { name: "Set up your network" })).toBeDefined();
  });
});

it("links to the form with all choices", async () => {
  withoutNetworks();
  open();
  const link = await screen.findByRole("link", { name: "Add network" });
  expect(link.getAttribute("href")).toBe("/settings/networks/add");
});

it("requires a name", async () => {
  withoutNetworks();
  const { user } = open();
  const input = await nameInput();
  await user.click(submit());
  expect((await screen.findByRole("alert")).textContent).toBe("Enter a name (up to 255 characters).");
  expect(document.activeElement).toBe(input);
});

it("shows errors on their fields and keeps the typed values [S5.2]", async () => {
  const api = withoutNetworks().on(createNetworkV2, () => {
    throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
  });
  const { user } = open();
  await user.type(await nameInput(), "Production");
  await user.click(submit());
  expect((await screen.findByRole("alert")).textContent).toBe(
    "You already have a network with this name, try another",
  );
  api.on(createNetworkV2, () => {
    throw failure("ERR_INVALID_IPV4_CIDR", { path: "cidrs[0]" });
  });
  await user.click(submit());
  expect(await screen.findByText(/^Can’t use this range/)).toBeDefined();
  expect(document.activeElement).toBe(cidrInput());
  expect((await nameInput()).value).toBe("Production");
});

it("shows what failed and retries", async () => {
  const api = serve().on(listNetworksV2, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-4");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-4");
  api.on(listNetworksV2, () => page([]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await nameInput()).toBeDefined();
});
