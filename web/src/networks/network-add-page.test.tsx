import { createNetwork } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
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
  const api = transport().on(createNetwork, () => ({ ...network, name: "Office" }));
  const { user, path } = open();
  await user.type(nameInput(), "Office");
  await user.click(submitButton());
  expect(await screen.findByText("Network Office added")).toBeDefined();
  expect(path()).toBe("/settings/networks");
  expect(api.calls(createNetwork)[0]?.body).toEqual({
    name: "Office",
    description: "",
    lighthousesAsRelays: false,
  });
});

it("sends all values, also by Ctrl+Enter from the text area [S7.12]", async () => {
  const api = transport().on(createNetwork, () => network);
  const { user } = open();
  await user.type(nameInput(), "Office");
  await user.type(cidrInput(), " 10.1.0.0/16 ");
  await user.click(screen.getByRole("checkbox", { name: "Use lighthouses as relays" }));
  await user.type(description(), "Third floor{Control>}{Enter}{/Control}");
  await vi.waitFor(() =>
    expect(api.calls(createNetwork)[0]?.body).toEqual({
      name: "Office",
      description: "Third floor",
      cidr: "10.1.0.0/16",
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
  const api = transport().on(createNetwork, () => {
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
  const api = transport().on(createNetwork, () => {
    throw failure("ERR_INVALID_VALUE", { path: "cidr", message: "overlaps the network Production" });
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
  transport().on(createNetwork, () => {
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
