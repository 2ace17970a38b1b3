import { startOidc } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rememberReturnTo, rememberSsoOrganization, ssoLoginPath } from "../lib/session.ts";
import { renderPage } from "../testing/render.tsx";
import { organization } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { SsoLoginPage } from "./sso-login-page.tsx";

const open = () =>
  renderPage(<SsoLoginPage />, { route: "/auth/login/:orgID", at: `/auth/login/${organization.id}` });

afterEach(() => {
  location.hash = "";
});

it("starts single sign-on immediately, remembers the request and goes to the provider [S4.6] [S7.8]", async () => {
  const api = transport().on(startOidc, () => ({
    organizationID: organization.id,
    oidcRequestToken: "request-token",
    redirectURL: `${location.origin}/#provider`,
  }));
  rememberReturnTo("/settings/networks");
  open();
  expect(document.title).toBe("Auth: Single sign-on - Lightkeeper");
  await vi.waitFor(() => expect(location.hash).toBe("#provider"));
  expect(api.calls(startOidc)).toHaveLength(1);
  expect(api.calls(startOidc)[0]?.params).toEqual({ orgID: organization.id });
  expect(JSON.parse(sessionStorage.getItem("oidcRequest") ?? "")).toEqual({
    oidcRequestToken: "request-token",
    organizationID: organization.id,
    from: "/settings/networks",
  });
});

it("shows that single sign-on isn't configured and links back to login [S8.9]", async () => {
  transport().on(startOidc, () => {
    throw failure("ERR_OIDC_NOT_CONFIGURED");
  });
  rememberSsoOrganization(organization.id);
  const { user, path } = open();
  expect((await screen.findByRole("alert")).textContent).toBe("Single Sign-On is not configured.");
  expect(ssoLoginPath()).toBeUndefined();
  await user.click(screen.getByRole("link", { name: "Back to login" }));
  expect(path()).toBe("/auth/login");
});

it("shows the same for an organization that doesn't exist [S8.9]", async () => {
  transport().on(startOidc, () => {
    throw failure("ERR_NOT_FOUND");
  });
  open();
  expect((await screen.findByRole("alert")).textContent).toBe("Single Sign-On is not configured.");
});

it("remembers the organization of a domain", async () => {
  transport().on(startOidc, () => ({
    organizationID: organization.id,
    oidcRequestToken: "request-token",
    redirectURL: `${location.origin}/#provider`,
  }));
  renderPage(<SsoLoginPage />, { route: "/auth/login/:orgID", at: "/auth/login/example.com" });
  await vi.waitFor(() => expect(location.hash).toBe("#provider"));
  expect(JSON.parse(sessionStorage.getItem("oidcRequest") ?? "")).toMatchObject({
    organizationID: organization.id,
  });
});

it("shows what to do when no organization has verified the domain", async () => {
  transport().on(startOidc, () => {
    throw failure("ERR_INVALID_VALUE", { path: "organization" });
  });
  open();
  expect((await screen.findByRole("alert")).textContent).toMatch(
    /^No organization has verified this domain\./,
  );
});

it("shows that the provider doesn't respond, and retries [S8.13]", async () => {
  const api = transport().on(startOidc, () => {
    throw failure("ERR_OIDC_PROVIDER_INACCESSIBLE");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "OIDC Provider is not responding. Please try again in a few minutes",
  );
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await vi.waitFor(() => expect(api.calls(startOidc)).toHaveLength(2));
});

it("rejects a redirect to a URL that isn't http or https", async () => {
  transport().on(startOidc, () => ({
    organizationID: organization.id,
    oidcRequestToken: "request-token",
    redirectURL: "javascript:alert(1)",
  }));
  open();
  expect((await screen.findByRole("alert")).textContent).toContain("isn’t a web address");
  expect(sessionStorage.getItem("oidcRequest")).toBeNull();
});
