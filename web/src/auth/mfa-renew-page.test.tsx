import { logInWithTotp } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { rememberReturnTo } from "../lib/session.ts";
import { readTokens } from "../lib/tokens.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { MfaRenewPage } from "./mfa-renew-page.tsx";

beforeEach(() => {
  signIn();
  rememberReturnTo("/settings/networks/add");
});

const open = () => renderPage(<MfaRenewPage />, { route: "/auth/mfa/renew" });
const codeInput = () => screen.getByLabelText("Code from your authenticator app");

it("accepts a code again and returns to the previous page [S2.3] [S4.5]", async () => {
  transport().on(logInWithTotp, () => ({ authToken: "newer-token" }));
  const { user, path } = open();
  expect(document.title).toBe("Auth: Confirm it’s you - Lightkeeper");
  await user.type(codeInput(), "123456");
  await vi.waitFor(() => expect(path()).toBe("/settings/networks/add"));
  expect(readTokens().authToken).toBe("newer-token");
});

it("stays and shows that a code didn't work [S5.5]", async () => {
  transport().on(logInWithTotp, () => {
    throw failure("ERR_INVALID_TOTP_CODE", { path: "code" });
  });
  const { user, path } = open();
  await user.type(codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toBe("That code didn‘t work, please try again.");
  expect(path()).toBe("/auth/mfa/renew");
});

it("returns without a code on Not now", async () => {
  const { user, path } = open();
  await user.click(screen.getByRole("button", { name: "Not now" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/networks/add"));
});
