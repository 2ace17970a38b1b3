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

it("takes a code again and goes back to where the person was [S2.3] [S4.5]", async () => {
  transport().on(logInWithTotp, () => ({ authToken: "newer-token" }));
  const { user, path } = open();
  expect(document.title).toBe("Auth: Confirm it is you - Lightkeeper");
  await user.type(codeInput(), "123456");
  await vi.waitFor(() => expect(path()).toBe("/settings/networks/add"));
  expect(readTokens().authToken).toBe("newer-token");
});

it("stays and says that a code did not work [S5.5]", async () => {
  transport().on(logInWithTotp, () => {
    throw failure("ERR_INVALID_TOTP_CODE", { path: "code" });
  });
  const { user, path } = open();
  await user.type(codeInput(), "123456");
  expect((await screen.findByRole("alert")).textContent).toBe("That code didn‘t work, please try again.");
  expect(path()).toBe("/auth/mfa/renew");
});

it("goes back without a code when the person would rather not", async () => {
  const { user, path } = open();
  await user.click(screen.getByRole("button", { name: "Not now" }));
  await vi.waitFor(() => expect(path()).toBe("/settings/networks/add"));
});
