import { getEndpointSignIn, type Output, startEndpointSignIn } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { renderPage } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { DeviceLoginPage } from "./device-login-page.tsx";

const PATH = "/endpoint-auth/login";
const open = () => renderPage(<DeviceLoginPage />, { route: PATH, at: `${PATH}?loginToken=login-token` });
const CODE = "BCDF-GHJK";
const shown = (change: Partial<Output<typeof getEndpointSignIn>>) => ({
  device: null,
  verificationCode: CODE,
  state: "open" as const,
  ...change,
});
const confirmCode = (user: ReturnType<typeof open>["user"]) =>
  user.click(screen.getByRole("checkbox", { name: "The code on my device is the same" }));
const started = () => ({ oidcRequestToken: "request-token", redirectURL: `${location.origin}/#provider` });

afterEach(() => {
  location.hash = "";
});

it("asks for the organization of a new device, and goes to its provider", async () => {
  const api = transport()
    .on(getEndpointSignIn, () => shown({}))
    .on(startEndpointSignIn, started);
  const { user } = open();
  const field = await screen.findByRole("textbox", { name: "Work email or organization ID" });
  await confirmCode(user);
  await user.click(screen.getByRole("button", { name: "Continue with single sign-on" }));
  expect(screen.getByText("Enter your work email or organization ID.")).toBeTruthy();
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

it("asks for nothing when the device is known, and shows its name", async () => {
  const device = { name: "ada-1", organizationName: "Example" };
  const api = transport()
    .on(getEndpointSignIn, () => shown({ device }))
    .on(startEndpointSignIn, started);
  const { user } = open();
  expect(await screen.findByText("ada-1 wants to stay connected to the network of Example.")).toBeTruthy();
  await confirmCode(user);
  await user.click(screen.getByRole("button", { name: "Continue with single sign-on" }));
  await vi.waitFor(() => expect(location.hash).toBe("#provider"));
  expect(api.calls(startEndpointSignIn)[0]?.body).toEqual({ loginToken: "login-token" });
});

it("shows an unknown organization on the field and other errors above the button", async () => {
  const rejections = [
    failure("ERR_OIDC_NOT_CONFIGURED"),
    failure("ERR_INVALID_VALUE", { path: "organization" }),
  ];
  transport()
    .on(getEndpointSignIn, () => shown({}))
    .on(startEndpointSignIn, () => {
      throw rejections.shift() ?? new Error("asked too often");
    });
  const { user } = open();
  await screen.findByRole("textbox");
  await confirmCode(user);
  await user.type(screen.getByRole("textbox"), "example.com{Enter}");
  expect(await screen.findByText("Single Sign-On is not configured.")).toBeTruthy();
  await user.type(screen.getByRole("textbox"), "{Enter}");
  expect(
    await screen.findByText(/No organization has verified this domain. Enter your organization ID instead/),
  ).toBeTruthy();
});

it("starts the sign-in only after the person has confirmed that the device shows the same code", async () => {
  const device = { name: "ada-1", organizationName: "Example" };
  const api = transport()
    .on(getEndpointSignIn, () => shown({ device }))
    .on(startEndpointSignIn, started);
  const { user } = open();
  expect((await screen.findByRole("status", { name: /Compare this code/ })).textContent).toBe(CODE);
  await user.click(screen.getByRole("button", { name: "Continue with single sign-on" }));
  expect(await screen.findByText(/Compare the codes and confirm that they match/)).toBeTruthy();
  expect(api.calls(startEndpointSignIn)).toEqual([]);
  await confirmCode(user);
  await user.click(screen.getByRole("button", { name: "Continue with single sign-on" }));
  await vi.waitFor(() => expect(api.calls(startEndpointSignIn)).toHaveLength(1));
});

it("shows the code of the request, not the one in the URL", async () => {
  transport().on(getEndpointSignIn, () => shown({}));
  renderPage(<DeviceLoginPage />, { route: PATH, at: `${PATH}?code=XXXX-XXXX&loginToken=login-token` });
  expect((await screen.findByRole("status", { name: /Compare this code/ })).textContent).toBe(CODE);
  expect(screen.queryByText(/XXXX/)).toBeNull();
});

it.each([
  ["completed", "The device is signed in. You can close this page."],
  ["pendingApproval", /An administrator must approve this device/],
  ["rejected", /An administrator rejected this device/],
] as const)("asks for nothing when the request is %s", async (state, words) => {
  transport().on(getEndpointSignIn, () => shown({ state }));
  open();
  expect(await screen.findByText(words)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

it("shows that the request is unknown", async () => {
  transport().on(getEndpointSignIn, () => {
    throw failure("ERR_INVALID_VALUE", { path: "loginToken" });
  });
  open();
  expect(await screen.findByText(/unknown or has expired/)).toBeTruthy();
});
