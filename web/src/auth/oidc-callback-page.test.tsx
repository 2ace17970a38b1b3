import { verifyEndpointSignIn, verifyOidc, verifyOidcTrial } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { rememberTestSignIn } from "../sso/test-sign-in-channel.ts";
import { ssoLoginPath } from "../lib/session.ts";
import { readTokens, saveUserToken } from "../lib/tokens.ts";
import { renderPage } from "../testing/render.tsx";
import { organization } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { OidcCallbackPage } from "./oidc-callback-page.tsx";
import { type OidcRequest, rememberOidcRequest } from "./oidc-request.ts";

const PATH = "/auth/oidc-callback";
const open = (request?: Partial<OidcRequest>) => {
  if (request)
    rememberOidcRequest({
      oidcRequestToken: "request-token",
      organizationID: organization.id,
      from: "/settings/networks",
      ...request,
    });
  return renderPage(<OidcCallbackPage />, { route: PATH, at: PATH });
};

it("exchanges the request for a session and opens the remembered page [S4.6] [S7.9]", async () => {
  const api = transport().on(verifyOidc, () => ({ authToken: "lkoid-token" }));
  saveUserToken("half-a-session");
  const { path } = open({});
  await vi.waitFor(() => expect(path()).toBe("/settings/networks"));
  expect(readTokens()).toEqual({ userToken: undefined, authToken: undefined, oidcToken: "lkoid-token" });
  expect(api.calls(verifyOidc).map(({ body }) => body)).toEqual([
    { oidcRequestToken: "request-token", location: location.href },
  ]);
  expect(sessionStorage.getItem("oidcRequest")).toBeNull();
  expect(ssoLoginPath()).toBe(`/auth/login/${organization.id}`);
});

it("shows that the request is missing [S8.6]", async () => {
  transport();
  open();
  expect((await screen.findByRole("alert")).textContent).toBe("Could not find oidc state code in storage.");
});

it.each([
  [
    failure("ERR_INVALID_OIDC_REQUEST_TOKEN", { path: "oidcRequestToken" }),
    "Could not complete authentication. Please try logging in again.",
  ],
  [failure("ERR_OIDC_PROVIDER_MISMATCH"), "The identity provider changed. Please try logging in again."],
  [
    failure("ERR_OIDC_MISSING_CLAIMS", { extra: { missingClaims: ["email", "groups"] } }),
    "Your identity provider left out required claims: email, groups. Please contact your administrator.",
  ],
  [
    failure("ERR_OIDC_NOT_ALLOWED", { message: "addresses of example.org may not sign in here" }),
    "You can’t sign in here: addresses of example.org may not sign in here.",
  ],
])("shows why the sign-in failed and offers a retry %#", async (rejection, message) => {
  transport().on(verifyOidc, () => {
    throw rejection;
  });
  const { user, path } = open({});
  expect((await screen.findByRole("alert")).textContent).toBe(message);
  expect(readTokens().oidcToken).toBeUndefined();
  expect(ssoLoginPath()).toBeUndefined();
  await user.click(screen.getByRole("link", { name: "Try again" }));
  expect(path()).toBe(`/auth/login/${organization.id}`);
});

it("finishes a device's sign-in without starting a session here", async () => {
  transport().on(verifyEndpointSignIn, () => ({
    state: "completed" as const,
    email: "ada@example.com",
    deviceName: "ada-1",
    validUntil: "2030-01-01T00:00:00.000Z",
  }));
  open({ isForDevice: true });
  expect(await screen.findByText(/ada-1 is signed in as ada@example.com/)).toBeTruthy();
  expect(readTokens().oidcToken).toBeUndefined();
});

it("says that a device would break a guarantee, without its details", async () => {
  transport().on(verifyEndpointSignIn, () => {
    throw failure("ERR_GUARANTEE_VIOLATED", { message: "this device would break a guarantee" });
  });
  open({ isForDevice: true });
  expect((await screen.findByRole("alert")).textContent).toBe(
    "This device would break a guarantee of your organization. Ask an administrator.",
  );
});

it("shows that a device waits for an administrator's approval", async () => {
  transport().on(verifyEndpointSignIn, () => ({
    state: "pendingApproval" as const,
    email: "ada@example.com",
    expiresAt: "2030-01-01T00:00:00.000Z",
  }));
  open({ isForDevice: true });
  expect(await screen.findByRole("heading", { name: "Waiting for approval" })).toBeTruthy();
  expect(screen.getByText(/An administrator must approve this device before/)).toBeTruthy();
});

it("shows the result of a test sign-in without starting a session", async () => {
  const api = transport().on(verifyOidcTrial, () => ({
    email: "ada@example.com",
    subject: "ada",
    role: "auditor" as const,
    claims: ["email", "sub"],
    isEmailVerifiedMissing: false,
    isAdmitted: true,
  }));
  rememberTestSignIn("test-token", "https://sso.example.com/auth?state=of-the-test");
  history.replaceState(null, "", "?state=of-the-test&code=1");
  open();
  expect(await screen.findByText(/ada@example.com can sign in with the role auditor/)).toBeTruthy();
  expect(api.calls(verifyOidcTrial)[0]?.body).toEqual({
    oidcRequestToken: "test-token",
    location: location.href,
  });
  expect(readTokens().oidcToken).toBeUndefined();
  history.replaceState(null, "", location.pathname);
});

it("shows that a test sign-in found no email_verified", async () => {
  transport().on(verifyOidcTrial, () => ({
    email: "ada@example.com",
    subject: "ada",
    role: "auditor" as const,
    claims: ["email", "sub"],
    isEmailVerifiedMissing: true,
    isAdmitted: false,
  }));
  rememberTestSignIn("test-token", "https://sso.example.com/auth?state=of-the-test");
  history.replaceState(null, "", "?state=of-the-test&code=1");
  open();
  expect(await screen.findByText(/can’t sign in: the provider didn’t send email_verified/)).toBeTruthy();
  history.replaceState(null, "", location.pathname);
});
