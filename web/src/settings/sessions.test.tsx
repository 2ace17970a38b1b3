import { listSessions, revokeSession, revokeSessions, type Session } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { hasJustSignedOut } from "../lib/session.ts";
import { readTokens } from "../lib/tokens.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { Sessions } from "./sessions.tsx";

beforeEach(signIn);

const session = (letter: string, more: Partial<Session> = {}): Session => ({
  id: `session-${letter.repeat(26)}`,
  createdAt: "2026-11-01T09:00:00Z",
  lastUsedAt: "2026-11-15T08:00:00Z",
  address: "203.0.113.7",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
  isCurrent: false,
  ...more,
});
const here = session("A", { isCurrent: true });
const there = session("B", { userAgent: "Mozilla/5.0 (iPhone) CriOS/131.0", address: "198.51.100.1" });
const old = session("C", { userAgent: null, address: null });

const open = () => renderPage(<Sessions />);
const rowOf = async (words: string) => within((await screen.findByText(words)).closest("tr")!);

it("lists the sessions and marks this browser", async () => {
  transport().on(listSessions, () => [here, there, old]);
  open();
  const mine = await rowOf("Firefox on Linux");
  expect(mine.getByText("This browser")).toBeDefined();
  expect(mine.queryByRole("button")).toBeNull();
  expect((await rowOf("Chrome on iPhone")).getByText("198.51.100.1")).toBeDefined();
  expect((await rowOf("Unknown browser")).getByText("Unknown")).toBeDefined();
});

it("logs out one session", async () => {
  const api = transport()
    .on(listSessions, () => [here, there])
    .on(revokeSession, () => ({}));
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Log out Chrome on iPhone" }));
  expect(await screen.findByText("Session logged out")).toBeDefined();
  expect(api.calls(revokeSession).map(({ params }) => params.sessionID)).toEqual([there.id]);
});

it("logs out all other sessions, including those that have already ended", async () => {
  const api = transport()
    .on(listSessions, () => [here, there, old])
    .on(revokeSession, ({ params }) => {
      if (params.sessionID === old.id) throw failure("ERR_NOT_FOUND");
      return {};
    });
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Log out everywhere else…" }));
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText(/^2 other sessions end immediately/)).toBeDefined();
  api.on(listSessions, () => [here]);
  await user.click(dialog.getByRole("button", { name: "Log out everywhere else" }));
  expect(await screen.findByText("Logged out everywhere else")).toBeDefined();
  expect(api.calls(revokeSession).map(({ params }) => params.sessionID)).toEqual([there.id, old.id]);
  await vi.waitFor(() =>
    expect(screen.queryByRole("button", { name: "Log out everywhere else…" })).toBeNull(),
  );
});

it("logs out everywhere, including this browser, after confirmation", async () => {
  const api = transport()
    .on(listSessions, () => [here])
    .on(revokeSessions, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
    });
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Log out everywhere…" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Log out everywhere?" }));
  const confirm = () => user.click(dialog.getByRole("button", { name: "Log out everywhere" }));
  await confirm();
  expect(await dialog.findByRole("alert")).toBeDefined();
  expect(readTokens().authToken).toBe("auth-token");
  api.on(revokeSessions, () => ({}));
  await confirm();
  await vi.waitFor(() => expect(readTokens()).toEqual({}));
  expect(hasJustSignedOut()).toBe(true);
});

it("shows what failed and retries", async () => {
  const api = transport().on(listSessions, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(listSessions, () => [here]);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await rowOf("Firefox on Linux")).toBeDefined();
});
