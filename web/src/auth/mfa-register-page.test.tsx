import {
  createRecoveryCodes,
  createTotpAuthenticator,
  signOut,
  verifyTotpAuthenticator,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { rememberReturnTo } from "../lib/session.ts";
import { readTokens, saveUserToken } from "../lib/tokens.ts";
import { renderRoutes } from "../testing/render.tsx";
import { userOf } from "../testing/samples.ts";
import { failure, transport, type Transport } from "../testing/transport.ts";
import { MfaRegisterPage } from "./mfa-register-page.tsx";

beforeEach(() => saveUserToken("user-token"));

const setup = (secret: string) => ({
  totpToken: `token-of-${secret}`,
  secret,
  url: `otpauth://totp/Lightkeeper:ada@example.com?secret=${secret}&issuer=Lightkeeper`,
});
const authenticator = {
  id: `totp-${"A".repeat(26)}`,
  name: "Authenticator",
  createdAt: "2026-11-01T09:00:00Z",
  lastUsedAt: null,
};

function open(state: object | null = null) {
  const rendered = renderRoutes(
    [
      { path: "/auth/mfa/register", element: <MfaRegisterPage /> },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    "/start",
  );
  void rendered.router.navigate("/auth/mfa/register", { state });
  return rendered;
}

const newcomer = () =>
  transport()
    .on(whoami, () => userOf(false))
    .on(createTotpAuthenticator, () => setup("ABCDEFGHIJKL"));

const codeInput = () => screen.findByLabelText<HTMLInputElement>("Code from your authenticator app");

function rejectCodes(api: Transport, ...error: Parameters<typeof failure>) {
  return api.on(verifyTotpAuthenticator, () => {
    throw failure(...error);
  });
}

it("shows the secret as a QR code, as a link and in groups of four [S7.19]", async () => {
  const api = newcomer();
  const { user } = open();
  expect(await screen.findByRole("img", { name: "QR code for your authenticator app" })).toBeDefined();
  expect(screen.getByText("ABCD EFGH IJKL")).toBeDefined();
  const link = screen.getByRole("link", { name: "Open in an authenticator app on this device" });
  expect(link.getAttribute("href")).toBe(setup("ABCDEFGHIJKL").url);
  expect(document.title).toBe("Auth: Set up your authenticator - Lightkeeper");
  expect(api.calls(createTotpAuthenticator)).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Copy setup key" }));
  expect(await navigator.clipboard.readText()).toBe("ABCDEFGHIJKL");
});

const codes = Array.from({ length: 10 }, (_, index) => `AAAA-BBBB-CCCC-DDD${"ABCDEFGHIJ"[index]}`);

it("finishes with the sixth digit, saves the auth token, shows recovery codes and redirects [S4.5] [S7.20]", async () => {
  const api = newcomer()
    .on(verifyTotpAuthenticator, () => ({ authToken: "auth-token", authenticator }))
    .on(createRecoveryCodes, () => ({ codes }));
  rememberReturnTo("/settings/networks");
  const { user, path } = open();
  await user.type(await codeInput(), "123456");
  const list = await screen.findByRole("list", { name: "Recovery codes" });
  expect(
    within(list)
      .getAllByRole("listitem")
      .map(({ textContent }) => textContent),
  ).toEqual(codes);
  const heading = screen.getByRole("heading", { name: "Save your recovery codes" });
  expect(document.activeElement).toBe(heading);
  expect(path()).toBe("/auth/mfa/register");
  expect(api.calls(createRecoveryCodes)).toMatchObject([{ authorization: "Bearer user-token auth-token" }]);
  await user.click(screen.getByRole("button", { name: "Copy recovery codes" }));
  expect(await navigator.clipboard.readText()).toBe(codes.join("\n"));
  await user.click(screen.getByRole("button", { name: "I’ve saved them" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/networks"));
  expect(api.calls(verifyTotpAuthenticator)[0]?.body).toEqual({
    totpToken: "token-of-ABCDEFGHIJKL",
    code: "123456",
  });
  expect(readTokens().authToken).toBe("auth-token");
  await vi.waitFor(() => expect(api.calls(whoami)).toHaveLength(2));
});

it("offers a retry if recovery codes can't be created", async () => {
  const api = newcomer()
    .on(verifyTotpAuthenticator, () => ({ authToken: "auth-token", authenticator }))
    .on(createRecoveryCodes, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-7");
    });
  const { user, path } = open();
  await user.type(await codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toContain("request-7");
  api.on(createRecoveryCodes, () => ({ codes }));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("button", { name: "I’ve saved them" })).toBeDefined();
  expect(path()).toBe("/auth/mfa/register");
});

it("offers to skip recovery codes that can't be created", async () => {
  newcomer()
    .on(verifyTotpAuthenticator, () => ({ authToken: "auth-token", authenticator }))
    .on(createRecoveryCodes, () => {
      throw failure("ERR_UNAVAILABLE");
    });
  const { user, path } = open();
  await user.type(await codeInput(), "123456");
  await user.click(await screen.findByRole("button", { name: "Not now" }));
  await vi.waitFor(() => expect(path()).toBe("/"));
});

it("shows that a code wasn't valid and keeps the key [S5.7]", async () => {
  rejectCodes(newcomer(), "ERR_INVALID_TOTP_CODE", { path: "code" });
  const { user } = open();
  await user.type(await codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toBe("The code was not valid — perhaps it expired?");
  expect((await codeInput()).value).toBe("123456");
  expect(screen.getByText("ABCD EFGH IJKL")).toBeDefined();
});

it("shows a new QR code automatically when the setup has expired [S5.6]", async () => {
  const api = rejectCodes(newcomer(), "ERR_INVALID_TOTP_TOKEN", { path: "totpToken" });
  const { user } = open();
  await codeInput();
  api.on(createTotpAuthenticator, () => setup("MNOPQRSTUVWX"));
  await user.type(await codeInput(), "123456");
  expect(await screen.findByText("The QR code expired, please re-scan and try again.")).toBeDefined();
  expect(await screen.findByText("MNOP QRST UVWX")).toBeDefined();
  expect((await codeInput()).value).toBe("");
  await user.type(await codeInput(), "654321");
  await vi.waitFor(() =>
    expect(api.calls(verifyTotpAuthenticator)[1]?.body.totpToken).toBe("token-of-MNOPQRSTUVWX"),
  );
});

it("shows that there were too many codes [S8.7]", async () => {
  rejectCodes(newcomer(), "ERR_TOO_MANY_REQUESTS");
  const { user } = open();
  await user.type(await codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toBe("Too many requests, please try again later.");
});

it("shows the limit when there are too many authenticators [S8.16]", async () => {
  newcomer().on(createTotpAuthenticator, () => {
    throw failure("ERR_LIMIT_EXCEEDED", { extra: { limit: 10 } });
  });
  open();
  expect((await screen.findByRole("alert")).textContent).toBe(
    "You have already created the maximum number of authenticators for this organization (10).",
  );
});

it("omits an unknown limit, also at the end of the setup [S8.16]", async () => {
  rejectCodes(newcomer(), "ERR_LIMIT_EXCEEDED");
  const { user } = open();
  await user.type(await codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "You have already created the maximum number of authenticators for this organization.",
  );
});

it("shows the message of the second factor that redirected here [S8.8]", async () => {
  transport()
    .on(whoami, () => userOf(true))
    .on(createTotpAuthenticator, () => setup("ABCDEFGHIJKL"));
  open({ notice: "TOTP (re)enrollment is required." });
  expect(await screen.findByText("TOTP (re)enrollment is required.")).toBeDefined();
  expect(await codeInput()).toBeDefined();
});

it("sends someone who has an authenticator to the second factor [S4.3]", async () => {
  transport().on(whoami, () => userOf(true));
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
});

it("goes to the second factor when the server knows of an authenticator", async () => {
  newcomer().on(createTotpAuthenticator, () => {
    throw failure("ERR_2FA_REQUIRED");
  });
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
});

it("offers a retry when the key can't be created", async () => {
  const api = newcomer().on(createTotpAuthenticator, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-7");
  });
  const { user } = open();
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("request-7");
  api.on(createTotpAuthenticator, () => setup("ABCDEFGHIJKL"));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("ABCD EFGH IJKL")).toBeDefined();
});

it("signs out to use another account [S4.12]", async () => {
  newcomer().on(signOut, () => ({}));
  const { user, path } = open();
  await user.click(await screen.findByRole("button", { name: "Use another account" }));
  await vi.waitFor(() => expect(path()).toBe("/auth/login"));
});

it("goes to the second factor when another tab has registered an authenticator", async () => {
  const api = rejectCodes(newcomer(), "ERR_2FA_REQUIRED");
  const { user, path } = open();
  const input = await codeInput();
  api.on(whoami, () => userOf(true));
  await user.type(input, "123456");
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
});
