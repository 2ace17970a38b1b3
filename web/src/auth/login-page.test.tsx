import { sendMagicLink, whoami } from "@lightkeeper/contract";
import { act, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rememberReturnTo, rememberSsoOrganization } from "../lib/session.ts";
import { saveUserToken } from "../lib/tokens.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { organization, user as person } from "../testing/samples.ts";
import { failure, transport, unreachable } from "../testing/transport.ts";
import { RESEND_WAIT_SECONDS } from "./check-email.tsx";
import { LoginPage } from "./login-page.tsx";

const open = (at = "/auth/login") => renderPage(<LoginPage />, { route: "/auth/login", at });
const emailInput = () => screen.getByLabelText<HTMLInputElement>("Email address");

afterEach(() => {
  vi.useRealTimers();
});

async function askForLink(address: string) {
  const rendered = open();
  await rendered.user.type(emailInput(), address);
  await rendered.user.click(screen.getByRole("button", { name: "Send link" }));
  return rendered;
}

it("has a title prefixed Auth and focuses the email field [S1.5] [S2.2]", () => {
  open();
  expect(document.title).toBe("Auth: Log in - Lightkeeper");
  expect(document.activeElement).toBe(emailInput());
});

it("prefills the invited address", () => {
  open("/auth/login?email=grace%2Bwork%40example.com");
  expect(emailInput().value).toBe("grace+work@example.com");
});

it("requests a link and then shows where it was sent [S4.4] [S7.4]", async () => {
  const api = transport().on(sendMagicLink, () => ({}));
  await askForLink(" ada@example.com ");
  const heading = await screen.findByRole("heading", { name: "Check your email" });
  expect(screen.getByText("ada@example.com")).toBeDefined();
  expect(document.title).toBe("Auth: Check your email - Lightkeeper");
  expect(document.activeElement).toBe(heading);
  expect(api.calls(sendMagicLink)[0]).toMatchObject({
    body: { email: "ada@example.com" },
    authorization: null,
  });
});

it("points to the local mailbox in the local environment", async () => {
  transport().on(sendMagicLink, () => ({}));
  await askForLink("ada@example.com");
  const link = await screen.findByRole("link", { name: "open the mailbox" });
  expect(link.getAttribute("href")).toBe("/dev/mail");
});

it("rejects a malformed address without a request, and keeps it [S5.3]", async () => {
  transport();
  await askForLink("ada@example");
  expect((await screen.findByRole("alert")).textContent).toBe("That doesn’t look like a valid email format.");
  expect(emailInput().value).toBe("ada@example");
  expect(emailInput().getAttribute("aria-invalid")).toBe("true");
  expect(document.activeElement).toBe(emailInput());
});

it("shows the server's error about an address on its field [S5.3]", async () => {
  const api = transport().on(sendMagicLink, () => {
    throw failure("ERR_INVALID_EMAIL", { path: "email" });
  });
  await askForLink("ada@example.com");
  expect((await screen.findByRole("alert")).textContent).toBe("That doesn’t look like a valid email format.");
  expect(emailInput().value).toBe("ada@example.com");
  expect(document.activeElement).toBe(emailInput());
  expect(api.reports).toEqual([]);
});

it("shows that there were too many requests [S8.7]", async () => {
  transport().on(sendMagicLink, () => {
    throw failure("ERR_TOO_MANY_REQUESTS");
  });
  await askForLink("ada@example.com");
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Too many requests, please try again later.",
  );
  expect(emailInput().value).toBe("ada@example.com");
});

it("shows any other error in an alert and keeps the form [S8.4]", async () => {
  const alert = vi.spyOn(window, "alert").mockImplementation(() => undefined);
  transport().on(sendMagicLink, () => {
    throw unreachable();
  });
  await askForLink("ada@example.com");
  await vi.waitFor(() =>
    expect(alert).toHaveBeenCalledExactlyOnceWith(
      "Can’t reach Lightkeeper. Check your connection and try again.",
    ),
  );
  expect(emailInput().value).toBe("ada@example.com");
});

it("submits with Ctrl+Enter and with Cmd+Enter, once each", async () => {
  const api = transport().on(sendMagicLink, () => {
    throw failure("ERR_TOO_MANY_REQUESTS");
  });
  const { user } = open();
  await user.type(emailInput(), "ada@example.com");
  await user.keyboard("{Control>}{Enter}{/Control}");
  await screen.findByRole("alert");
  await user.keyboard("{Meta>}{Enter}{/Meta}");
  await vi.waitFor(() => expect(api.calls(sendMagicLink)).toHaveLength(2));
});

it("sends the link again after a wait, and confirms it", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const api = transport().on(sendMagicLink, () => ({}));
  const { user } = await askForLink("ada@example.com");
  const waiting = await screen.findByRole<HTMLButtonElement>("button", {
    name: `Send again in ${RESEND_WAIT_SECONDS} seconds`,
  });
  expect(waiting.disabled).toBe(true);
  for (let second = 0; second < RESEND_WAIT_SECONDS; second++) act(() => void vi.advanceTimersByTime(1000));
  await user.click(screen.getByRole("button", { name: "Send again" }));
  expect(await screen.findByText("Sent. Only the newest link works.")).toBeDefined();
  expect(api.calls(sendMagicLink)).toHaveLength(2);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: /^Send again in/ }).disabled).toBe(true);
});

it("shows that the link was requested too often [S8.7]", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const api = transport().on(sendMagicLink, () => ({}));
  const { user } = await askForLink("ada@example.com");
  await screen.findByRole("heading", { name: "Check your email" });
  api.on(sendMagicLink, () => {
    throw failure("ERR_TOO_MANY_REQUESTS");
  });
  for (let second = 0; second < RESEND_WAIT_SECONDS; second++) act(() => void vi.advanceTimersByTime(1000));
  await user.click(screen.getByRole("button", { name: "Send again" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "Too many requests, please try again later.",
  );
});

it("accepts another address and still has the first one", async () => {
  transport().on(sendMagicLink, () => ({}));
  const { user } = await askForLink("ada@example.com");
  await user.click(await screen.findByRole("button", { name: "Use another address" }));
  expect(emailInput().value).toBe("ada@example.com");
});

it("asks for the organization before single sign-on [S2.3]", async () => {
  const { user, path } = open();
  await user.click(screen.getByRole("button", { name: "Single sign-on" }));
  const input = screen.getByLabelText("Work email or organization ID");
  await user.type(input, "example{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("starts with “org-”");
  expect(document.activeElement).toBe(input);
  await user.clear(input);
  await user.type(input, ` ${organization.id}{Enter}`);
  await vi.waitFor(() => expect(path()).toBe(`/auth/login/${organization.id}`));
});

it("accepts an email address for single sign-on, and puts only its domain into the URL", async () => {
  const { user, path } = open();
  await user.click(screen.getByRole("button", { name: "Single sign-on" }));
  await user.type(screen.getByLabelText("Work email or organization ID"), " Ada@Example.com{Enter}");
  await vi.waitFor(() => expect(path()).toBe("/auth/login/example.com"));
});

it("links to the remembered organization, or asks for another", async () => {
  rememberSsoOrganization(organization.id);
  const { user } = open();
  const link = screen.getByRole("link", { name: "Single sign-on" });
  expect(link.getAttribute("href")).toBe(`/auth/login/${organization.id}`);
  await user.click(screen.getByRole("button", { name: "Use another organization" }));
  expect(screen.getByLabelText("Work email or organization ID")).toBeDefined();
});

it("links to sign up", () => {
  open();
  expect(screen.getByRole("link", { name: "Create an account" }).getAttribute("href")).toBe("/signup");
});

it("redirects a logged-in person to the remembered path [S4.1]", async () => {
  transport().on(whoami, () => person);
  signIn();
  rememberReturnTo("/settings/networks?cursor=x");
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/settings/networks?cursor=x"));
});

it("goes to the second factor when only that is missing [S4.2]", async () => {
  saveUserToken("user-token");
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa"));
});

it("shows the form when the session can't be checked", async () => {
  transport().on(whoami, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR");
  });
  signIn();
  open();
  expect(await screen.findByLabelText("Email address")).toBeDefined();
});
