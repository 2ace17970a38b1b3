import { getEndpointSignIn, startEndpointSignIn } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { renderPage } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { Component } from "./device-login-page.tsx";

const PATH = "/endpoint-auth/login";
const open = () => renderPage(<Component />, { route: PATH, at: `${PATH}?loginToken=login-token` });
const started = () => ({ oidcRequestToken: "request-token", redirectURL: `${location.origin}/#provider` });

afterEach(() => {
  location.hash = "";
});

it("asks for the organization of a new device, and goes to its provider", async () => {
  const api = transport()
    .on(getEndpointSignIn, () => ({ device: null, isCompleted: false }))
    .on(startEndpointSignIn, started);
  const { user } = open();
  const field = await screen.findByRole("textbox", { name: "E-mail address or organization ID" });
  await user.click(screen.getByRole("button", { name: "Continue with single sign-on" }));
  expect(screen.getByText("Say which organization the device is for.")).toBeTruthy();
  expect(api.calls(startEndpointSignIn)).toEqual([]);
  await user.type(field, " ada@example.com {Enter}");
  await vi.waitFor(() => expect(location.hash).toBe("#provider"));
  expect(api.calls(startEndpointSignIn)[0]?.body).toEqual({
    loginToken: "login-token",
    organization: "ada@example.com",
  });
  expect(JSON.parse(sessionStorage.getItem("oidcRequest") ?? "")).toMatchObject({
    oidcRequestToken: "request-token",
    isForDevice: true,
  });
});

it("asks nothing of a device that is known, and names it", async () => {
  const device = { name: "ada-1", organizationName: "Example" };
  const api = transport()
    .on(getEndpointSignIn, () => ({ device, isCompleted: false }))
    .on(startEndpointSignIn, started);
  const { user } = open();
  expect(await screen.findByText("ada-1 wants to stay in the network of Example.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Continue with single sign-on" }));
  await vi.waitFor(() => expect(location.hash).toBe("#provider"));
  expect(api.calls(startEndpointSignIn)[0]?.body).toEqual({ loginToken: "login-token" });
});

it("says where the device's organization takes none, at the field or above the button", async () => {
  const refusals = [
    failure("ERR_OIDC_NOT_CONFIGURED"),
    failure("ERR_INVALID_VALUE", { path: "organization" }),
  ];
  transport()
    .on(getEndpointSignIn, () => ({ device: null, isCompleted: false }))
    .on(startEndpointSignIn, () => {
      throw refusals.shift() ?? new Error("asked too often");
    });
  const { user } = open();
  await user.type(await screen.findByRole("textbox"), "example.com{Enter}");
  expect(await screen.findByText("Single Sign-On is not configured.")).toBeTruthy();
  await user.type(screen.getByRole("textbox"), "{Enter}");
  expect(await screen.findByText(/Use the organization’s ID instead/)).toBeTruthy();
});

it("says when there is nothing to sign in for any more", async () => {
  transport().on(getEndpointSignIn, () => ({ device: null, isCompleted: true }));
  open();
  expect(await screen.findByText("The device is signed in. You can close this page.")).toBeTruthy();
});

it("says when the request is unknown", async () => {
  transport().on(getEndpointSignIn, () => {
    throw failure("ERR_INVALID_VALUE", { path: "loginToken" });
  });
  open();
  expect(await screen.findByText(/unknown or has expired/)).toBeTruthy();
});
