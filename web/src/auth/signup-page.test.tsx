import { signup, whoami } from "@lightkeeper/contract";
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { config } from "../lib/config.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { user as person } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { RESEND_WAIT_SECONDS } from "./check-email.tsx";
import { SignupPage } from "./signup-page.tsx";

const open = (at = "/signup") => renderPage(<SignupPage />, { route: "/signup/*", at });
const plan = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });

beforeEach(() => {
  config.hasPlans = true;
});
afterEach(() => {
  config.hasPlans = false;
  vi.useRealTimers();
});

async function signUp(at?: string) {
  const rendered = open(at);
  await rendered.user.type(screen.getByLabelText("Email address"), "ada@example.com");
  await rendered.user.click(screen.getByRole("button", { name: "Send link" }));
  return rendered;
}

it("offers both plans with their terms, Free first [S2.1]", () => {
  open("/signup/anything");
  expect(document.title).toBe("Sign up - Lightkeeper");
  expect(plan("Free").checked).toBe(true);
  expect(screen.getByText("Up to 100 hosts")).toBeDefined();
  expect(screen.getByText("$1 per host per month")).toBeDefined();
});

it("offers no plans where the server has none", () => {
  config.hasPlans = false;
  open();
  expect(screen.queryByRole("radio")).toBeNull();
  expect(screen.queryByText("Plan")).toBeNull();
});

it("requests a link on the Free plan and shows where it was sent [S7.3]", async () => {
  const api = transport().on(signup, () => ({}));
  await signUp();
  expect(await screen.findByRole("heading", { name: "Check your email" })).toBeDefined();
  expect(screen.getByText("ada@example.com")).toBeDefined();
  expect(api.calls(signup)[0]).toMatchObject({ body: { email: "ada@example.com" }, authorization: null });
  expect(api.calls(signup)[0]?.body).not.toHaveProperty("plan");
});

it("selects Pro by the URL, sends it, and sends it again [S7.3]", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const api = transport().on(signup, () => ({}));
  const { user } = await signUp("/signup?plan=pro");
  await screen.findByRole("heading", { name: "Check your email" });
  for (let second = 0; second < RESEND_WAIT_SECONDS; second++) act(() => void vi.advanceTimersByTime(1000));
  await user.click(screen.getByRole("button", { name: "Send again" }));
  await vi.waitFor(() => expect(api.calls(signup)).toHaveLength(2));
  for (const { body } of api.calls(signup)) expect(body).toEqual({ email: "ada@example.com", plan: "pro" });
});

it("keeps the plan and the address when using another address", async () => {
  transport().on(signup, () => ({}));
  const { user } = await signUp("/signup?plan=pro");
  await user.click(await screen.findByRole("button", { name: "Use another address" }));
  expect(plan("Pro").checked).toBe(true);
  expect(screen.getByLabelText<HTMLInputElement>("Email address").value).toBe("ada@example.com");
});

it("shows the server's error about an address on its field [S5.3]", async () => {
  transport().on(signup, () => {
    throw failure("ERR_INVALID_EMAIL", { path: "email" });
  });
  await signUp();
  expect((await screen.findByRole("alert")).textContent).toBe("That doesn’t look like a valid email format.");
});

for (const path of [undefined, "email"]) {
  it(`shows that there were too many requests, path ${path ?? "absent"} [S8.7]`, async () => {
    transport().on(signup, () => {
      throw failure("ERR_TOO_MANY_REQUESTS", path ? { path } : {});
    });
    await signUp();
    expect((await screen.findByRole("alert")).textContent).toBe("Too many requests, please try again later.");
  });
}

it("shows that an invitation is required where sign-up is closed, and keeps the form", async () => {
  const alert = vi.spyOn(window, "alert").mockImplementation(() => undefined);
  transport().on(signup, () => {
    throw failure("ERR_FORBIDDEN");
  });
  await signUp();
  expect((await screen.findByRole("alert")).textContent).toContain("You need an invitation to sign up here.");
  expect(screen.getByLabelText<HTMLInputElement>("Email address").value).toBe("ada@example.com");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(alert).not.toHaveBeenCalled();
});

it("links to log in", () => {
  open();
  expect(screen.getByRole("link", { name: "Log in" }).getAttribute("href")).toBe("/auth/login");
});

it("redirects a logged-in person", async () => {
  transport().on(whoami, () => person);
  signIn();
  const { path } = open();
  await vi.waitFor(() => expect(path()).toBe("/"));
});

it("asks for the setup code when the server requires it, and shows when it doesn't match", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const api = transport().on(signup, () => {
    throw failure("ERR_INVALID_SETUP_CODE", { path: "setupCode" });
  });
  const { user } = await signUp();
  const code = await screen.findByLabelText<HTMLInputElement>("Setup code");
  expect(document.activeElement).toBe(code);
  expect(screen.getByText("Printed in the server’s log when the server first starts.")).toBeDefined();
  const send = () => user.click(screen.getByRole("button", { name: "Send link" }));
  await send();
  expect(await screen.findByText("Enter the setup code from the server’s log.")).toBeDefined();
  expect(api.calls(signup)).toHaveLength(1);
  await user.type(code, "AAAA-AAAA-AAAA-AAAA");
  await send();
  expect(await screen.findByText(/^This code doesn’t match. Enter the newest setup code/)).toBeDefined();
  api.on(signup, () => ({}));
  await user.clear(code);
  await user.type(code, " abcd-efgh-ijkl-mnop ");
  await send();
  await screen.findByRole("heading", { name: "Check your email" });
  for (let second = 0; second < RESEND_WAIT_SECONDS; second++) act(() => void vi.advanceTimersByTime(1000));
  await user.click(screen.getByRole("button", { name: "Send again" }));
  await vi.waitFor(() => expect(api.calls(signup)).toHaveLength(4));
  for (const { body } of api.calls(signup).slice(2))
    expect(body).toEqual({ email: "ada@example.com", setupCode: "abcd-efgh-ijkl-mnop" });
});
