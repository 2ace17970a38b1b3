import {
  type CurrentUser,
  deleteOidcProvider,
  getOidcProvider,
  listDeviceRequests,
  listDomains,
  listNetworksV2,
  listRoles,
  listTags,
  type OidcProvider,
  testOidcProvider,
  updateOidcProvider,
  whoami,
} from "@lightkeeper/contract";
import { act, screen, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { testSignInAt, reportTestSignIn } from "./test-sign-in-channel.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { oidcUser, organization, user as owner } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { SsoEditPage } from "./sso-edit-page.tsx";
import { SsoPage } from "./sso-page.tsx";

const provider: OidcProvider = {
  id: "oidc-AAAAAAAAAAAAAAAAAAAAAAAAAA",
  name: "Staff",
  issuerURL: "https://sso.example.com",
  clientID: "lightkeeper",
  allowedDomains: ["example.com"],
  requiredClaim: null,
  auditorClaim: { name: "groups", value: "audit" },
  defaultRole: "administrator",
  trustsEmails: false,
  endpoint: null,
  redirectURL: "http://localhost/auth/oidc-callback",
  loginURL: "http://localhost/auth/login/org",
  createdAt: "2026-01-01T00:00:00.000Z",
  modifiedAt: "2026-01-01T00:00:00.000Z",
};
const api = (shown: OidcProvider | null, person: CurrentUser = owner) => {
  signIn();
  return transport()
    .on(whoami, () => person)
    .on(getOidcProvider, () => shown)
    .on(listDomains, () => [])
    .on(listDeviceRequests, () => [])
    .on(listNetworksV2, () => page([]))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([]));
};
const openIndex = () => renderPage(<SsoPage />, { route: "/settings/sso", at: "/settings/sso" });
const openEdit = () => renderPage(<SsoEditPage />, { route: "/settings/sso/edit", at: "/settings/sso/edit" });
const type = async (who: ReturnType<typeof openEdit>["user"], label: string, text: string) =>
  who.type(screen.getByLabelText(label), text);

it("shows the URLs to copy and a link to the setup before anything is set up [S2.22]", async () => {
  api(null);
  const { user, path } = openIndex();
  expect(await screen.findByText("Single sign-on isn’t set up")).toBeTruthy();
  expect(screen.getByText(`${location.origin}/auth/oidc-callback`)).toBeTruthy();
  expect(screen.getByText(`${location.origin}/auth/login/${organization.id}`)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Copy Redirect URL" })).toBeTruthy();
  for (const name of ["Google Workspace", "Microsoft Entra ID", "Keycloak and Okta"])
    expect(screen.getByRole("region", { name })).toBeTruthy();
  await user.click(screen.getByRole("link", { name: "Set up single sign-on" }));
  expect(path()).toBe("/settings/sso/edit");
});

it("shows the settings to everyone, and the edit link to owners [S6.1]", async () => {
  api(provider, oidcUser);
  openIndex();
  expect(await screen.findByText("https://sso.example.com")).toBeTruthy();
  expect(screen.getByText("groups is audit")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Edit" })).toBeNull();
  expect(screen.getByText("Only owners who log in by email can change these settings.")).toBeTruthy();
});

const testedProvider = () => ({
  discovery: {
    issuer: "https://sso.example.com",
    authorizationEndpoint: "https://sso.example.com/auth",
    tokenEndpoint: "https://sso.example.com/token",
    userinfoEndpoint: null,
    scopes: ["openid", "email"],
    claims: [],
  },
  trial: { oidcRequestToken: "test-token", redirectURL: "https://sso.example.com/auth?state=x" },
});
const signInResult = {
  email: "ada@example.com",
  subject: "ada",
  role: "administrator" as const,
  claims: ["email", "sub"],
  isEmailVerifiedMissing: true,
  isAdmitted: false,
};

it("offers to trust the provider when a test sign-in finds no email_verified, and to stop when it does", async () => {
  const calls = api(provider)
    .on(testOidcProvider, testedProvider)
    .on(updateOidcProvider, () => provider);
  const { user, path } = openEdit();
  await user.click(await screen.findByRole("button", { name: "Test connection" }));
  await screen.findByText(/Connected to https:\/\/sso\.example\.com/);
  const report = (change: Partial<typeof signInResult>, oidcRequestToken = "test-token") =>
    act(async () => {
      const channel = new BroadcastChannel("lightkeeper-oidc-test-sign-in");
      const heard = new Promise((resolve) => channel.addEventListener("message", resolve, { once: true }));
      reportTestSignIn({ oidcRequestToken, result: { ...signInResult, ...change } });
      await heard;
      channel.close();
    });
  await report({}, "another-token");
  expect(screen.queryByText(/didn’t send email_verified for/)).toBeNull();
  await report({});
  expect(await screen.findByText(/didn’t send email_verified for ada@example.com/)).toBeTruthy();
  const trust = screen.getByRole<HTMLInputElement>("checkbox", { name: /trust its email addresses/ });
  expect(trust.checked).toBe(false);
  await user.click(screen.getByRole("button", { name: "Trust its email addresses" }));
  expect(trust.checked).toBe(true);
  expect(await screen.findByText(/can sign in with the role Administrator once you save/)).toBeTruthy();
  await report({ isEmailVerifiedMissing: false, isAdmitted: true });
  await user.click(await screen.findByRole("button", { name: "Stop trusting" }));
  expect(trust.checked).toBe(false);
  await user.click(trust);
  await user.click(screen.getByRole("button", { name: "Save" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/sso"));
  expect(calls.calls(updateOidcProvider)[0]?.body).toMatchObject({ trustsEmails: true });
});

it("warns while email addresses are accepted without email_verified", async () => {
  api({ ...provider, trustsEmails: true });
  openIndex();
  expect(await screen.findByText(/accepted without email_verified/)).toBeTruthy();
  expect(screen.getByText("Trusted without email_verified")).toBeTruthy();
});

it("sets up a provider after testing the connection", async () => {
  const calls = api(null)
    .on(testOidcProvider, testedProvider)
    .on(updateOidcProvider, () => provider);
  const { user, path } = openEdit();
  await screen.findByLabelText("Issuer URL");
  await type(user, "Issuer URL", "https://sso.example.com");
  await type(user, "Client ID", "lightkeeper");
  await type(user, "Client secret", "word");
  const domains = screen.getByRole("group", { name: /Domains/ });
  await user.type(within(domains).getByRole("textbox"), "example.com");
  for (const role of ["Administrator", "Auditor"])
    expect(screen.getByRole<HTMLInputElement>("radio", { name: role }).checked).toBe(false);
  await user.click(screen.getByRole("button", { name: "Test connection" }));
  expect(await screen.findByText("Choose the role that people get.")).toBeTruthy();
  expect(calls.calls(testOidcProvider)).toEqual([]);
  await user.click(screen.getByRole("radio", { name: "Auditor" }));
  await user.click(screen.getByRole("button", { name: "Test connection" }));
  expect(await screen.findByText(/Connected to https:\/\/sso\.example\.com/)).toBeTruthy();
  const opened = vi.spyOn(window, "open").mockReturnValue(null);
  await user.click(screen.getByRole("button", { name: "Test sign-in" }));
  expect(opened).toHaveBeenCalledWith("https://sso.example.com/auth?state=x", "_blank", "noopener");
  expect(testSignInAt(`${location.origin}/auth/oidc-callback?state=x`)).toBe("test-token");
  expect(testSignInAt(`${location.origin}/auth/oidc-callback?state=y`)).toBeUndefined();
  expect(calls.calls(updateOidcProvider)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Save" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/sso"));
  const body = {
    name: "",
    issuerURL: "https://sso.example.com",
    clientID: "lightkeeper",
    clientSecret: "word",
    allowedDomains: ["example.com"],
    requiredClaim: null,
    auditorClaim: null,
    defaultRole: "auditor",
    trustsEmails: false,
    endpoint: null,
  };
  expect(calls.calls(testOidcProvider)[0]?.body).toEqual(body);
  expect(calls.calls(updateOidcProvider)[0]?.body).toEqual(body);
});

it("keeps the secret if none is typed, and shows the server's error on its field", async () => {
  const calls = api(provider).on(updateOidcProvider, () => {
    throw failure("ERR_INVALID_VALUE", { path: "clientSecret", message: "is needed with another issuer" });
  });
  const { user } = openEdit();
  await screen.findByLabelText("Issuer URL");
  await type(user, "Issuer URL", "/realms/staff");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Invalid value: is needed with another issuer.")).toBeTruthy();
  expect(calls.calls(updateOidcProvider)[0]?.body).not.toHaveProperty("clientSecret");
});

it("shows why the connection to the provider failed", async () => {
  api(provider).on(testOidcProvider, () => {
    throw failure("ERR_OIDC_PROVIDER_INACCESSIBLE", { message: "sso.example.com has a private address" });
  });
  const { user } = openEdit();
  await user.click(await screen.findByRole("button", { name: "Test connection" }));
  expect(
    await screen.findByText("Can’t connect to the provider: sso.example.com has a private address."),
  ).toBeTruthy();
});

it("disables single sign-on after a confirmation", async () => {
  const calls = api(provider).on(deleteOidcProvider, () => ({}));
  const { user, path } = openEdit();
  await user.click(await screen.findByRole("button", { name: "Disable single sign-on…" }));
  const dialog = await screen.findByRole("alertdialog", { name: "Disable single sign-on?" });
  expect(calls.calls(deleteOidcProvider)).toEqual([]);
  await user.click(within(dialog).getByRole("button", { name: "Disable single sign-on" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/sso"));
});
