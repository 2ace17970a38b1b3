import { createNetwork, listNetworks } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { Component } from "./get-started-page.tsx";

beforeEach(signIn);

const open = () => renderPage(<Component />, { route: "/get-started" });
const nameInput = () => screen.findByLabelText<HTMLInputElement>("Name");
const cidrInput = () => screen.getByLabelText<HTMLInputElement>(/^CIDR/);
const withoutNetworks = () => transport().on(listNetworks, () => page([]));
const submit = () => screen.getByRole("button", { name: "Create network" });

it("asks for the first network and suggests its addresses [S2.5] [S7.24]", async () => {
  const api = withoutNetworks();
  open();
  const input = await nameInput();
  expect(document.activeElement).toBe(input);
  expect(input.placeholder).toBe("Network1");
  expect(cidrInput().value).toBe("100.100.0.0/22");
  expect(document.title).toBe("Get started - Lightkeeper");
  expect(api.calls(listNetworks)[0]?.query).toEqual({ includeCounts: "true", pageSize: "1" });
});

it("creates the network and shows what comes next [S4.13] [S7.12]", async () => {
  const api = withoutNetworks().on(createNetwork, () => network);
  const { user, path } = open();
  await user.type(await nameInput(), "Production");
  api.on(listNetworks, () => page([network]));
  await user.click(submit());
  const heading = await screen.findByRole("heading", { name: "What comes next" });
  expect(document.activeElement).toBe(heading);
  expect(api.calls(createNetwork)[0]?.body).toEqual({ name: "Production", cidr: "100.100.0.0/22" });
  const steps = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(steps[0]).toBe("Create a network (done)Production · 100.100.0.0/22");
  expect(steps.slice(1).some((step) => step.includes("(done)"))).toBe(false);
  await user.click(screen.getByRole("link", { name: "Go to networks" }));
  expect(path()).toBe("/settings/networks");
});

it("leaves the addresses to the server where none are given", async () => {
  const api = withoutNetworks().on(createNetwork, () => network);
  const { user } = open();
  await user.type(await nameInput(), "Production");
  await user.clear(cidrInput());
  await user.keyboard("{Control>}{Enter}{/Control}");
  await vi.waitFor(() => expect(api.calls(createNetwork)[0]?.body).toEqual({ name: "Production" }));
});

it("is a checklist for whoever has a network already", async () => {
  transport().on(listNetworks, () => page([network]));
  open();
  expect(await screen.findByRole("heading", { name: "What comes next" })).toBeDefined();
  expect(screen.queryByLabelText("Name")).toBeNull();
});

it("wants a name", async () => {
  withoutNetworks();
  const { user } = open();
  const input = await nameInput();
  await user.click(submit());
  expect((await screen.findByRole("alert")).textContent).toBe("Give it a name of 1 to 255 characters.");
  expect(document.activeElement).toBe(input);
});

it("puts refusals on their fields and keeps what was typed [S5.2]", async () => {
  const api = withoutNetworks().on(createNetwork, () => {
    throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
  });
  const { user } = open();
  await user.type(await nameInput(), "Production");
  await user.click(submit());
  expect((await screen.findByRole("alert")).textContent).toBe(
    "You already have a network with this name, try another",
  );
  api.on(createNetwork, () => {
    throw failure("ERR_INVALID_IPV4_CIDR", { path: "cidr" });
  });
  await user.click(submit());
  expect(await screen.findByText(/^The CIDR is refused/)).toBeDefined();
  expect(document.activeElement).toBe(cidrInput());
  expect((await nameInput()).value).toBe("Production");
});

it("says what failed and tries again", async () => {
  const api = transport().on(listNetworks, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-4");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-4");
  api.on(listNetworks, () => page([]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await nameInput()).toBeDefined();
});
