import {
  getNetworkV2,
  InvalidResponseError,
  signOut as signOutCall,
  whoami,
  type CurrentUser,
} from "@lightkeeper/contract";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { signIn } from "../testing/render.tsx";
import { apiKey, network, oidcUser, user, userOf } from "../testing/samples.ts";
import { failure, transport, unreachable } from "../testing/transport.ts";
import { mfaRegistrationStatus, retryCurrentUser, useCurrentUser } from "./current-user.ts";
import { queryClient, read } from "./query.ts";
import { takeReturnTo } from "./session.ts";
import { readTokens, removeAllTokens, saveOidcToken } from "./tokens.ts";
import { toastStore } from "../ui/feedback/toast.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  history.replaceState(null, "", "/settings/networks");
  signIn();
});

const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);
const show = () => renderHook(() => useCurrentUser(), { wrapper });
const answers = (answer: CurrentUser) => transport().on(whoami, () => answer);
const fails = (error: Error) =>
  transport()
    .on(signOutCall, () => ({}))
    .on(whoami, () => {
      throw error;
    });

it.each([user, oidcUser])(
  "is a user or a single sign-on user, read from data [S3.2] [S7.21]",
  async (person) => {
    answers(person);
    const { result } = show();
    await waitFor(() => expect(result.current.data).toEqual(person));
  },
);

it("never goes stale [S9.5]", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["Date"] });
  const server = answers(user);
  const first = show();
  await waitFor(() => expect(first.result.current.data).toEqual(user));
  first.unmount();
  vi.setSystemTime(Date.now() + 7 * 86_400_000);
  const second = show();
  expect(second.result.current).toMatchObject({ data: user, isFetching: false, isStale: false });
  expect(server.calls(whoami)).toHaveLength(1);
  vi.useRealTimers();
});

it("isn't requested without tokens", async () => {
  removeAllTokens();
  transport();
  const { result } = show();
  expect(result.current.fetchStatus).toBe("idle");
});

it("rejects an API key, signs out and shows why [S6.2] [S3.2]", async () => {
  const server = answers(apiKey).on(signOutCall, () => ({}));
  show();
  await waitFor(() =>
    expect(toastStore.get().map(({ message }) => message)).toEqual([
      "An API key can’t log in to the console. Log in with your email address instead.",
    ]),
  );
  await waitFor(() => expect(readTokens().userToken).toBeUndefined());
  expect(server.calls(whoami)).toHaveLength(1);
});

describe("ERR_2FA_REQUIRED [S4.7]", () => {
  it("removes the auth tokens and every other query, and keeps the user token", async () => {
    const other = read(getNetworkV2, { params: { networkID: network.id } });
    queryClient.setQueryData(other.queryKey, network);
    const server = fails(failure("ERR_2FA_REQUIRED"));
    show();
    await waitFor(() => expect(readTokens().authToken).toBeUndefined());
    expect(readTokens().userToken).toBe("user-token");
    expect(queryClient.getQueryData(other.queryKey)).toBeUndefined();
    expect(queryClient.getQueryState(["auth", "GET /v2/whoami", {}])).toBeDefined();
    expect(server.calls(whoami)).toHaveLength(1);
  });

  it.each([
    ["/settings/networks", "/settings/networks"],
    ["/auth/login/org-AAAA", "/"],
  ])("at %s leads a single sign-on user back to %s", async (at, back) => {
    removeAllTokens();
    saveOidcToken("oidc");
    history.replaceState(null, "", at);
    fails(failure("ERR_2FA_REQUIRED"));
    show();
    await waitFor(() => expect(readTokens().oidcToken).toBeUndefined());
    expect(takeReturnTo()).toBe(back);
  });
});

it("signs out on ERR_UNAUTHORIZED [S4.8]", async () => {
  const server = fails(failure("ERR_UNAUTHORIZED"));
  show();
  await waitFor(() => expect(readTokens().userToken).toBeUndefined());
  expect(server.calls(signOutCall)).toHaveLength(1);
});

it("logs ERR_2FA_RENEWAL_REQUIRED as unhandled and keeps the session [S4.9]", async () => {
  const server = fails(failure("ERR_2FA_RENEWAL_REQUIRED"));
  show();
  await waitFor(() => expect(server.reports).toHaveLength(1));
  expect(server.reports[0]?.errors).toEqual([{ code: "ERR_2FA_RENEWAL_REQUIRED" }]);
  expect(readTokens().authToken).toBe("auth-token");
});

it("tries once more after an error that is not the API's, then reports it [S4.11]", async () => {
  const server = fails(unreachable());
  const { result } = show();
  await waitFor(() => expect(result.current.isError).toBe(true));
  expect(server.calls(whoami)).toHaveLength(2);
  expect(mfaRegistrationStatus(result.current)).toBe("error");
  await waitFor(() =>
    expect(server.reports[0]?.message).toBe("Can’t reach Lightkeeper. Check your connection and try again."),
  );
});

it("tries once more after an unreadable response [S4.11]", () => {
  const unreadable = new InvalidResponseError(new Response("<html>"));
  expect([0, 1].map((failures) => retryCurrentUser(failures, unreadable))).toEqual([true, false]);
});

it("is retried three times after another error of the API [S4.11]", async () => {
  const server = fails(failure("ERR_INTERNAL_SERVER_ERROR"));
  const { result } = show();
  await waitFor(() => expect(result.current.isError).toBe(true));
  expect(server.calls(whoami)).toHaveLength(4);
  await act(async () => undefined);
});

describe("the registration of a second factor [S4.3]", () => {
  it.each([
    ["yes", { data: userOf(true), isError: false }],
    ["no", { data: userOf(false), isError: false }],
    ["n/a", { data: oidcUser as never, isError: false }],
    ["unknown", { data: undefined, isError: false }],
    ["error", { data: undefined, isError: true }],
  ])("is %s", (status, result) => {
    expect(mfaRegistrationStatus(result)).toBe(status);
  });
});
