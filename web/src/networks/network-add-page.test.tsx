import { createNetworkV2 } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { NetworkAddPage } from "./network-add-page.tsx";

beforeEach(signIn);

const open = () => renderPage(<NetworkAddPage />, { route: "/settings/networks/add" });
const nameInput = () => screen.getByLabelText<HTMLInputElement>("Name");
const cidrInput = () => screen.getByLabelText<HTMLInputElement>(/^CIDR/);
const description = () => screen.getByLabelText(/^Description/);
const submitButton = () => screen.getByRole("button", { name: "Add network" });

it("starts in the name field under its title [S1.5] [S2.20]", () => {
  open();
  expect(document.title).toBe("Add network - Lightkeeper");
  expect(document.activeElement).toBe(nameInput());
});

it("adds a network with only a name and goes to the list [S7.12]", async () => {
  const api = transport().on(createNetworkV2, () => ({ ...network, name: "Office" }));
  const { user, path } = open();
  await user.type(nameInput(), "Office");
  await user.click(submitButton());
  expect(await screen.findByText("Network Office added")).toBeDefined();
  expect(path()).toBe("/settings/networks");
  expect(api.calls(createNetworkV2)[0]?.body).toEqual({
    name: "Office",
    description: "",
    curve: "25519",
    certVersion: 1,
    lighthousesAsRelays: false,
  });
});

it("sends all values, also by Ctrl+Enter from the text area [S7.12]", async () => {
  const api = transport().on(createNetworkV2, () => network);
  const { user } = open();
  await user.type(nameInput(), "Office");
  await user.type(cidrInput(), " 10.1.0.0/16 ");
  await user.click(screen.getByRole("checkbox", { name: "Use lighthouses as relays" }));
  await user.type(description(), "Third floor{Control>}{Enter}{/Control}");
  await vi.waitFor(() =>
    expect(api.calls(createNetworkV2)[0]?.body).toEqual({
      name: "Office",
      description: "Third floor",
      curve: "25519",
      certVersion: 1,
      cidrs: ["10.1.0.0/16"],
      lighthousesAsRelays: true,
    }),
  );
});

it("shows how many addresses a CIDR has while it is typed", async () => {
  const { user } = open();
  expect(screen.getByText("Leave empty to use the next free /22 (1,022 host addresses).")).toBeDefined();
  await user.type(cidrInput(), "10.0.0.0/24");
  expect(screen.getByText("254 host addresses, 10.0.0.1 to 10.0.0.254.")).toBeDefined();
});

it("requires a name before it calls the server", async () => {
  transport();
  const { user } = open();
  await user.click(submitButton());
  expect((await screen.findByRole("alert")).textContent).toBe("Enter a name (up to 255 characters).");
  expect(document.activeElement).toBe(nameInput());
});

it("shows a duplicate name at its field and keeps the values [S3.5] [S5.2]", async () => {
  const api = transport().on(createNetworkV2, () => {
    throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
  });
  const { user } = open();
  await user.type(nameInput(), "Office");
  await user.type(description(), "Third floor");
  await user.click(submitButton());
  expect((await screen.findByRole("alert")).textContent).toBe(
    "You already have a network with this name, try another",
  );
  expect(document.activeElement).toBe(nameInput());
  expect(nameInput().value).toBe("Office");
  expect(description()).toHaveProperty("value", "Third floor");
  expect(api.reports).toEqual([]);
  await user.type(nameInput(), "2");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("shows the problem of a CIDR at its field", async () => {
  const api = transport().on(createNetworkV2, () => {
    throw failure("ERR_INVALID_VALUE", { path: "cidrs[0]", message: "overlaps the network Production" });
  });
  const { user } = open();
  await user.type(nameInput(), "Office");
  await user.type(cidrInput(), "100.100.0.0/22");
  await user.click(submitButton());
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Can’t use this range: overlaps the network Production.",
  );
  expect(document.activeElement).toBe(cidrInput());
  expect(api.reports).toEqual([]);
});

it("shows an error without a path above the button", async () => {
  transport().on(createNetworkV2, () => {
    throw failure("ERR_LIMIT_EXCEEDED");
  });
  const { user } = open();
  await user.type(nameInput(), "Office");
  await user.click(submitButton());
  expect((await screen.findByRole("alert")).textContent).toBe("limit exceeded");
});

it("asks before it discards changes, and stays or leaves as chosen", async () => {
  const { user, path } = open();
  await user.type(nameInput(), "Office");
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  let dialog = within(await screen.findByRole("alertdialog", { name: "Leave without saving?" }));
  await user.click(dialog.getByRole("button", { name: "Cancel" }));
  expect(path()).toBe("/settings/networks/add");
  expect(nameInput().value).toBe("Office");
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  dialog = within(await screen.findByRole("alertdialog", { name: "Leave without saving?" }));
  await user.click(dialog.getByRole("button", { name: "Leave" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/networks"));
});

it("leaves without asking if nothing was typed or the session has ended", async () => {
  const { user, path, router, unmount } = open();
  await user.click(screen.getByRole("link", { name: "Cancel" }));
  expect(path()).toBe("/settings/networks");
  unmount();
  await router.navigate("/");
  const again = open();
  await again.user.type(nameInput(), "Office");
  await again.router.navigate("/auth/mfa");
  expect(again.path()).toBe("/auth/mfa");
});

describe("a network with IPv6", () => {
  const choose = (label: string) => screen.getByRole("radio", { name: label });

  it("gets a random range unless one is entered", async () => {
    const api = transport().on(createNetworkV2, () => network);
    const { user } = open();
    await user.type(nameInput(), "Office");
    await user.click(choose("IPv6"));
    expect(screen.getByText(/^Leave empty to use a random private \/64/)).toBeDefined();
    await user.click(submitButton());
    await vi.waitFor(() => expect(api.calls(createNetworkV2)).toHaveLength(1));
    expect(api.calls(createNetworkV2)[0]?.body).toMatchObject({ certVersion: 2, curve: "25519" });
    expect(api.calls(createNetworkV2)[0]?.body).not.toHaveProperty("cidrs");
  });

  it("sends both ranges, IPv4 first, and the curve", async () => {
    const api = transport().on(createNetworkV2, () => network);
    const { user } = open();
    await user.type(nameInput(), "Office");
    await user.click(choose("IPv4 and IPv6"));
    await user.type(screen.getByLabelText(/^IPv6 CIDR/), "fd12::/64");
    await user.type(screen.getByLabelText("IPv4 CIDR"), "10.1.0.0/16");
    await user.selectOptions(screen.getByLabelText("Curve"), "P-256 (FIPS)");
    expect(screen.getByText(/Needs Nebula 1\.7 or newer on every host/)).toBeDefined();
    await user.click(submitButton());
    await vi.waitFor(() =>
      expect(api.calls(createNetworkV2)[0]?.body).toMatchObject({
        certVersion: 2,
        curve: "P256",
        cidrs: ["10.1.0.0/16", "fd12::/64"],
      }),
    );
  });

  it("needs an IPv4 range to have IPv4 addresses, and no longer after the choice changes", async () => {
    const api = transport().on(createNetworkV2, () => network);
    const { user } = open();
    await user.type(nameInput(), "Office");
    await user.click(choose("IPv4 and IPv6"));
    await user.click(submitButton());
    expect((await screen.findByRole("alert")).textContent).toBe(
      "Enter an IPv4 range such as 100.100.0.0/22.",
    );
    await user.click(choose("IPv6"));
    await user.click(submitButton());
    await vi.waitFor(() => expect(api.calls(createNetworkV2)).toHaveLength(1));
  });

  it.each([
    ["IPv4", "fd12::/64", "This is an IPv6 range. Enter an IPv4 range such as 100.100.0.0/22."],
    ["IPv6", "10.1.0.0/16", "This is an IPv4 range. Enter an IPv6 range such as fd12:3456:789a::/64."],
  ])("rejects a range of the other family: %s", async (choice, range, problem) => {
    transport();
    const { user } = open();
    await user.type(nameInput(), "Office");
    await user.click(choose(choice));
    await user.type(cidrInput(), range);
    await user.click(submitButton());
    expect((await screen.findByRole("alert")).textContent).toBe(problem);
  });

  it("doesn’t send the range of a family that is no longer chosen", async () => {
    const api = transport().on(createNetworkV2, () => network);
    const { user } = open();
    await user.type(nameInput(), "Office");
    await user.type(cidrInput(), "10.1.0.0/16");
    await user.click(choose("IPv6"));
    await user.type(cidrInput(), "fd12::/64");
    await user.click(submitButton());
    await vi.waitFor(() =>
      expect(api.calls(createNetworkV2)[0]?.body).toMatchObject({ cidrs: ["fd12::/64"] }),
    );
  });

  it.each([
    ["IPv6", "cidrs[0]", /^CIDR/],
    ["IPv4 and IPv6", "cidrs[0]", "IPv4 CIDR"],
    ["IPv4 and IPv6", "cidrs[1]", /^IPv6 CIDR/],
    ["IPv4 and IPv6", "cidrs", "IPv4 CIDR"],
  ])("with %s shows an error at %s beside its field", async (choice, path, label) => {
    transport().on(createNetworkV2, () => {
      throw failure("ERR_INVALID_VALUE", { path, message: "overlaps another network" });
    });
    const { user } = open();
    await user.type(nameInput(), "Office");
    await user.click(choose(choice));
    await user.type(screen.getByLabelText(/^(IPv6 )?CIDR/), "fd12::/64");
    const ipv4Input = screen.queryByLabelText("IPv4 CIDR");
    if (ipv4Input) await user.type(ipv4Input, "10.1.0.0/16");
    await user.click(submitButton());
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("Can’t use this range: overlaps another network.");
    const input = screen.getByLabelText(label);
    expect(input.getAttribute("aria-describedby")).toBe(alert.id);
    expect(document.activeElement).toBe(input);
  });

  it.each([
    ["certVersion", () => screen.getByRole("group", { name: "Addresses" })],
    ["curve", () => screen.getByLabelText("Curve")],
  ])("shows an error at %s beside its choice", async (path, findField) => {
    transport().on(createNetworkV2, () => {
      throw failure("ERR_INVALID_VALUE", { path, message: "is not supported" });
    });
    const { user } = open();
    await user.type(nameInput(), "Office{Enter}");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toBe("is not supported");
    expect(findField().getAttribute("aria-describedby")).toBe(alert.id);
  });
});
