import { verifyMagicLink, whoami } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { readTokens, saveAuthToken, saveUserToken } from "../lib/tokens.ts";
import { takeReturnTo } from "../lib/session.ts";
import { renderPage } from "../testing/render.tsx";
import { userOf } from "../testing/samples.ts";
import { failure, Failure, transport, type Transport } from "../testing/transport.ts";
import { MagicLinkPage } from "./magic-link-page.tsx";

const open = (at = "/auth/magic-link?magicLinkToken=link-token") =>
  renderPage(<MagicLinkPage />, { route: "/auth/magic-link", at });

async function logIn(api: Transport) {
  const rendered = open();
  expect(api.calls(verifyMagicLink)).toEqual([]);
  await rendered.user.click(screen.getByRole("button", { name: "Log in" }));
  return rendered;
}

it("removes the token from the URL immediately and verifies only after a click [S4.4]", async () => {
  const api = transport();
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/auth/magic-link"));
  expect(screen.getByRole("button", { name: "Log in" })).toBeDefined();
  expect(api.calls(verifyMagicLink)).toEqual([]);
  expect(document.title).toBe("Auth: Log in - Lightkeeper");
});

it("saves the user token and goes to the second factor [S4.4] [S7.5]", async () => {
  const api = transport()
    .on(verifyMagicLink, () => ({ sessionToken: "session-token" }))
    .on(whoami, () => userOf(true));
  const { path } = await logIn(api);
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
  expect(api.calls(verifyMagicLink)[0]?.body).toEqual({ magicLinkToken: "link-token" });
  expect(readTokens().userToken).toBe("session-token");
});

it("remembers a sign-up for the Pro plan, wherever the email is opened [S4.2]", async () => {
  transport()
    .on(verifyMagicLink, () => ({ sessionToken: "session-token" }))
    .on(whoami, () => userOf(false));
  const { user, path } = open("/auth/magic-link?magicLinkToken=link-token&plan=pro");
  await user.click(screen.getByRole("button", { name: "Log in" }));
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
  expect(takeReturnTo()).toBe("/signup/pro");
});

it("redirects someone without an authenticator to the setup [S4.3]", async () => {
  const api = transport()
    .on(verifyMagicLink, () => ({ sessionToken: "session-token" }))
    .on(whoami, () => userOf(false));
  const { path } = await logIn(api);
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/register"));
});

it("goes to the second factor when the current user can't be loaded", async () => {
  const api = transport()
    .on(verifyMagicLink, () => ({ sessionToken: "session-token" }))
    .on(whoami, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR");
    });
  const { path } = await logIn(api);
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
});

it("drops the second factor of an earlier session", async () => {
  saveUserToken("old-token");
  saveAuthToken("old-auth-token");
  const api = transport()
    .on(verifyMagicLink, () => ({ sessionToken: "session-token" }))
    .on(whoami, () => userOf(true));
  await logIn(api);
  await vi.waitFor(() => expect(readTokens().userToken).toBe("session-token"));
  expect(readTokens().authToken).toBeUndefined();
  expect(api.calls(whoami)[0]?.authorization).toBe("Bearer session-token");
});

for (const code of ["ERR_INVALID_MAGIC_LINK_TOKEN", "ERR_INVALID_VALUE"] as const) {
  it(`shows that the link was invalid on ${code} and offers a new one [S5.4]`, async () => {
    const api = transport().on(verifyMagicLink, () => {
      throw failure(code, { path: "magicLinkToken" });
    });
    const { user, path } = await logIn(api);
    expect((await screen.findByRole("alert")).textContent).toBe("Magic link was invalid");
    expect(readTokens().userToken).toBeUndefined();
    await user.click(screen.getByRole("link", { name: "Get a new link" }));
    expect(path()).toBe("/auth/login");
  });
}

it("shows every reason why the link was rejected [S5.1]", async () => {
  const api = transport().on(verifyMagicLink, () => {
    throw new Failure(400, [
      { code: "ERR_INVALID_VALUE", message: "is bad" },
      { code: "ERR_INVALID_EMAIL", message: "is no address", path: "email" },
    ]);
  });
  await logIn(api);
  expect((await screen.findByRole("alert")).textContent).toBe("Magic link was invalid\nemail: is no address");
});

it("shows that there were too many attempts [S8.7]", async () => {
  const api = transport().on(verifyMagicLink, () => {
    throw failure("ERR_TOO_MANY_REQUESTS");
  });
  await logIn(api);
  expect((await screen.findByRole("alert")).textContent).toBe("Too many requests, please try again later.");
});

it("shows that an invitation is required when the link can't create an account", async () => {
  const api = transport().on(verifyMagicLink, () => {
    throw failure("ERR_FORBIDDEN");
  });
  await logIn(api);
  expect((await screen.findByRole("alert")).textContent).toContain("You need an invitation to sign up here.");
});

it("links to sign-up when the setup code has changed since the link was requested", async () => {
  const api = transport().on(verifyMagicLink, () => {
    throw failure("ERR_INVALID_SETUP_CODE", { path: "setupCode" });
  });
  const { user, path } = await logIn(api);
  expect((await screen.findByRole("alert")).textContent).toContain("The setup code has changed");
  await user.click(screen.getByRole("link", { name: "Sign up again" }));
  expect(path()).toBe("/signup");
});

it("keeps the link usable when the server is unreachable [S8.4]", async () => {
  const alert = vi.spyOn(window, "alert").mockImplementation(() => undefined);
  const api = transport().on(verifyMagicLink, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR");
  });
  await logIn(api);
  await vi.waitFor(() => expect(alert).toHaveBeenCalledOnce());
  expect(screen.getByRole("button", { name: "Log in" })).toBeDefined();
});

it("explains a URL without a token", () => {
  open("/auth/magic-link");
  expect(screen.getByRole("alert").textContent).toContain("This login link is incomplete.");
  expect(screen.getByRole("link", { name: "Get a new link" })).toBeDefined();
});
