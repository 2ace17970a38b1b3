import { logInWithRecoveryCode, logInWithTotp, signOut, whoami } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { rememberReturnTo } from "../lib/session.ts";
import { readTokens, saveUserToken } from "../lib/tokens.ts";
import { renderPage } from "../testing/render.tsx";
import { userOf } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { toastStore } from "../ui/feedback/toast.ts";
import { MfaPage } from "./mfa-page.tsx";

beforeEach(() => saveUserToken("user-token"));

const open = () => renderPage(<MfaPage />, { route: "/auth/mfa" });
const codeInput = () => screen.findByLabelText<HTMLInputElement>("Code from your authenticator app");
const withPerson = () => transport().on(whoami, () => userOf(true));

it("shows who is logging in and focuses the code field [S2.3]", async () => {
  withPerson();
  open();
  const input = await codeInput();
  expect(document.activeElement).toBe(input);
  expect(screen.getByText("ada@example.com")).toBeDefined();
  expect(document.title).toBe("Auth: Second factor - Lightkeeper");
});

it("sends the code with the sixth digit and goes back to the remembered path [S4.5] [S7.7]", async () => {
  const api = withPerson().on(logInWithTotp, () => ({ authToken: "auth-token" }));
  rememberReturnTo("/settings/networks/add");
  const { user, path } = open();
  await user.type(await codeInput(), "123456");
  await vi.waitFor(() => expect(path()).toBe("/settings/networks/add"));
  expect(api.calls(logInWithTotp)).toHaveLength(1);
  expect(api.calls(logInWithTotp)[0]).toMatchObject({
    body: { code: "123456" },
    authorization: "Bearer user-token",
  });
  expect(readTokens().authToken).toBe("auth-token");
});

it("accepts a pasted code with a space", async () => {
  const api = withPerson().on(logInWithTotp, () => ({ authToken: "auth-token" }));
  const { user, path } = open();
  await user.click(await codeInput());
  await user.paste("123 456");
  await vi.waitFor(() => expect(path()).toBe("/"));
  expect(api.calls(logInWithTotp)[0]?.body).toEqual({ code: "123456" });
});

it("doesn't send an incomplete code", async () => {
  withPerson();
  const { user } = open();
  const input = await codeInput();
  await user.type(input, "123{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("Enter all 6 digits.");
  expect(document.activeElement).toBe(input);
});

it("shows that a code didn't work and selects it for retyping [S5.5]", async () => {
  const api = withPerson().on(logInWithTotp, () => {
    throw failure("ERR_INVALID_TOTP_CODE", { path: "code" });
  });
  const { user } = open();
  const input = await codeInput();
  await user.type(input, "123456");
  expect((await screen.findByRole("alert")).textContent).toBe("That code didn‘t work, please try again.");
  expect(input.value).toBe("123456");
  expect([input.selectionStart, input.selectionEnd]).toEqual([0, 6]);
  api.on(logInWithTotp, () => ({ authToken: "auth-token" }));
  await user.keyboard("654321");
  await vi.waitFor(() => expect(api.calls(logInWithTotp)[1]?.body).toEqual({ code: "654321" }));
});

it("shows that there were too many codes [S8.7]", async () => {
  withPerson().on(logInWithTotp, () => {
    throw failure("ERR_TOO_MANY_REQUESTS");
  });
  const { user } = open();
  await user.type(await codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toBe("Too many requests, please try again later.");
});

describe("a recovery code", () => {
  const code = "ABCD-EFGH-IJKL-MNOP-QRST-UVWX";
  const earlierCode = code.slice(0, 19);
  const openForm = async () => {
    const rendered = open();
    await rendered.user.click(await screen.findByRole("button", { name: "Use a recovery code" }));
    return { ...rendered, input: screen.getByLabelText<HTMLInputElement>("Recovery code") };
  };

  it("logs in instead of the authenticator, and the message says how many are left", async () => {
    const api = withPerson().on(logInWithRecoveryCode, () => ({ authToken: "auth-token", unusedCount: 7 }));
    rememberReturnTo("/hosts");
    const { user, path, input } = await openForm();
    expect(document.activeElement).toBe(input);
    await user.type(input, ` ${code}{Enter}`);
    await vi.waitFor(() => expect(path()).toBe("/hosts"));
    expect(api.calls(logInWithRecoveryCode)).toMatchObject([
      { body: { code }, authorization: "Bearer user-token" },
    ]);
    expect(readTokens().authToken).toBe("auth-token");
    expect(toastStore.get().at(-1)?.message).toBe("Recovery code used, 7 left.");
  });

  it("from before codes got longer is accepted, and warns when few are left", async () => {
    withPerson().on(logInWithRecoveryCode, () => ({ authToken: "auth-token", unusedCount: 3 }));
    const { user, path, input } = await openForm();
    await user.type(input, `${earlierCode}{Enter}`);
    await vi.waitFor(() => expect(path()).toBe("/"));
    expect(toastStore.get().at(-1)?.message).toBe(
      "Recovery code used, 3 left. Generate new ones in User settings.",
    );
  });

  it("is checked for its length, and can be replaced after it was rejected", async () => {
    const api = withPerson().on(logInWithRecoveryCode, () => {
      throw failure("ERR_INVALID_RECOVERY_CODE", { path: "code" });
    });
    const { user, input } = await openForm();
    await user.type(input, "ABCD{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe("Enter the whole code.");
    expect(api.calls(logInWithRecoveryCode)).toEqual([]);
    await user.clear(input);
    await user.type(input, `${code}{Enter}`);
    await screen.findByText("This code doesn’t match, or was already used. Enter another one.");
    expect([input.selectionStart, input.selectionEnd]).toEqual([0, code.length]);
    await user.click(screen.getByRole("button", { name: "Use an authenticator app" }));
    expect(document.activeElement).toBe(await codeInput());
  });
});

it("redirects to the setup with a message when enrollment is required [S8.8]", async () => {
  withPerson().on(logInWithTotp, () => {
    throw failure("ERR_2FA_ENROLLMENT_REQUIRED");
  });
  const { user, router, path } = open();
  await user.type(await codeInput(), "123456");
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
  expect(router.state.location.state).toEqual({ notice: "TOTP (re)enrollment is required." });
});

it("redirects someone without an authenticator to the setup [S4.3]", async () => {
  transport().on(whoami, () => userOf(false));
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
});

it("asks for the code even when the current user can't be loaded [S4.3]", async () => {
  transport().on(whoami, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR");
  });
  open();
  expect(await codeInput()).toBeDefined();
});

it("is an internal error without a user, which is reported [S4.5]", async () => {
  const api = withPerson();
  const alert = vi.fn();
  vi.stubGlobal("alert", alert);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { user } = open();
  const input = await codeInput();
  await user.type(input, "12345");
  // As if another tab had just removed it.
  document.cookie = "usertoken=; path=/; max-age=0";
  expect(readTokens().userToken).toBeUndefined();
  await user.type(input, "6");
  await vi.waitFor(() =>
    expect(api.reports.map(({ message }) => message)).toEqual(["A second factor was used without a user"]),
  );
  expect(api.calls(logInWithTotp)).toEqual([]);
  expect(alert).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^Something went wrong in the console\./),
  );
});

it("signs out to use another account [S4.12]", async () => {
  const api = withPerson().on(signOut, () => ({}));
  const { user, path } = open();
  await user.click(await screen.findByRole("button", { name: "Use another account" }));
  await vi.waitFor(() => expect(path()).toBe("/auth/login"));
  expect(api.calls(signOut)).toHaveLength(1);
  expect(readTokens().userToken).toBeUndefined();
});
