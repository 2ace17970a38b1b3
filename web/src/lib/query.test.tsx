import {
  createNetworkV2,
  deleteNetwork,
  getHostState,
  getNetworkV2,
  listHostsV2,
  listNetworksV2,
  whoami,
} from "@lightkeeper/contract";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { signIn } from "../testing/render.tsx";
import { network, user } from "../testing/samples.ts";
import { formTarget } from "../testing/form-target.ts";
import { failure, Failure, page, transport, type Transport, unreachable } from "../testing/transport.ts";
import { useCurrentUser } from "./current-user.ts";
import { handleFormError, messageOf } from "./errors.ts";
import { invalidateNoun, keyOf, queryClient, read, useRead, useWrite } from "./query.ts";
import { authState, readTokens, removeAllTokens, saveOidcToken } from "./tokens.ts";

const alert = vi.fn();
beforeEach(() => {
  alert.mockReset();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  signIn();
});

const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);
const fails = (error: Error) => () => {
  throw error;
};
const asked = { params: { networkID: network.id } };
const readNetwork = () => queryClient.fetchQuery({ ...read(getNetworkV2, asked), retry: retryRule });
const retryRule = queryClient.getDefaultOptions().queries?.retry as never;
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve, 20)));

describe("keys", () => {
  it("come from the endpoint: noun, call, input", () => {
    expect(keyOf(getNetworkV2, asked)).toEqual(["networks", "GET /v2/networks/{networkID}", asked]);
  });
});

describe("a failing read", () => {
  it("is retried three times [S4.11] [S9.2]", async () => {
    const server = transport().on(getNetworkV2, fails(failure("ERR_INTERNAL_SERVER_ERROR")));
    await expect(readNetwork()).rejects.toThrow("Internal server error");
    expect(server.calls(getNetworkV2)).toHaveLength(4);
  });

  it("is retried three times when the server is unreachable [S4.11]", async () => {
    const server = transport().on(getNetworkV2, fails(unreachable()));
    await expect(readNetwork()).rejects.toThrow(
      "Can’t reach Lightkeeper. Check your connection and try again.",
    );
    expect(server.calls(getNetworkV2)).toHaveLength(4);
  });

  it("is never retried when the resource is missing [S4.11]", async () => {
    const server = transport().on(getNetworkV2, fails(failure("ERR_NOT_FOUND")));
    await expect(readNetwork()).rejects.toThrow("Not Found");
    expect(server.calls(getNetworkV2)).toHaveLength(1);
  });

  it("that asks for the second factor clears auth and cancels, without a retry [S4.10]", async () => {
    let cancelled = false;
    const server = transport()
      .on(getNetworkV2, fails(failure("ERR_2FA_REQUIRED")))
      .on(listNetworksV2, ({ signal }) => {
        signal?.addEventListener("abort", () => (cancelled = true));
        return new Promise(() => undefined);
      });
    renderHook(() => useRead(listNetworksV2), { wrapper });
    await waitFor(() => expect(server.calls(listNetworksV2)).toHaveLength(1));
    await expect(readNetwork()).rejects.toThrow("Not logged in");
    expect(server.calls(getNetworkV2)).toHaveLength(1);
    expect(readTokens()).toEqual({ userToken: "user-token", authToken: undefined, oidcToken: undefined });
    await waitFor(() => expect(cancelled).toBe(true));
  });

  it("of an unknown single sign-on token clears auth, without a retry [S4.10]", async () => {
    removeAllTokens();
    saveOidcToken("oidc");
    const server = transport().on(getNetworkV2, fails(failure("ERR_UNAUTHORIZED")));
    await expect(readNetwork()).rejects.toThrow("Not logged in");
    expect(server.calls(getNetworkV2)).toHaveLength(1);
    expect(authState()).toBe("unauthenticated");
  });

  it("of an unknown user token is retried, then the current user is refetched [S4.11]", async () => {
    const server = transport()
      .on(getNetworkV2, fails(failure("ERR_UNAUTHORIZED")))
      .on(whoami, () => user);
    renderHook(() => useCurrentUser(), { wrapper });
    await waitFor(() => expect(server.calls(whoami)).toHaveLength(1));
    await expect(readNetwork()).rejects.toThrow("Not logged in");
    expect(server.calls(getNetworkV2)).toHaveLength(4);
    await waitFor(() => expect(server.calls(whoami)).toHaveLength(2));
    expect(authState()).toBe("authenticated");
  });
});

describe("a write", () => {
  const list = () => renderHook(() => useRead(listNetworksV2), { wrapper });

  it("returns the data and refetches its noun [S7.2]", async () => {
    const server = transport()
      .on(listNetworksV2, () => page([network]))
      .on(createNetworkV2, () => network);
    list();
    await waitFor(() => expect(server.calls(listNetworksV2)).toHaveLength(1));
    const { result } = renderHook(() => useWrite(createNetworkV2), { wrapper });
    const answer = await act(() => result.current.mutateAsync({ body: { name: "Production" } }));
    expect(answer).toEqual(network);
    await waitFor(() => expect(server.calls(listNetworksV2)).toHaveLength(2));
  });

  it("waits for its success handler before it refetches", async () => {
    const server = transport()
      .on(listNetworksV2, () => page([network]))
      .on(deleteNetwork, () => ({}));
    list();
    await waitFor(() => expect(server.calls(listNetworksV2)).toHaveLength(1));
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const { result } = renderHook(() => useWrite(deleteNetwork, { onSuccess: () => left }), { wrapper });
    act(() => result.current.mutate({ params: { networkID: network.id } }));
    await settle();
    expect(server.calls(listNetworksV2)).toHaveLength(1);
    leave();
    await waitFor(() => expect(server.calls(listNetworksV2)).toHaveLength(2));
  });

  it("refetches the other nouns it lists", async () => {
    const server = transport()
      .on(whoami, () => user)
      .on(createNetworkV2, () => network);
    renderHook(() => useCurrentUser(), { wrapper });
    await waitFor(() => expect(server.calls(whoami)).toHaveLength(1));
    const { result } = renderHook(() => useWrite(createNetworkV2, { invalidates: ["auth"] }), { wrapper });
    act(() => result.current.mutate({ body: { name: "Production" } }));
    await waitFor(() => expect(server.calls(whoami)).toHaveLength(2));
  });

  let server: Transport;
  const failing = async (options: Parameters<typeof useWrite<typeof deleteNetwork>>[1], error: Error) => {
    server = transport().on(deleteNetwork, fails(error));
    vi.stubGlobal("alert", alert);
    const { result } = renderHook(() => useWrite(deleteNetwork, options), { wrapper });
    return result;
  };

  it("that fails and isn't handled shows the browser's alert [S8.4]", async () => {
    const result = await failing({}, failure("ERR_FORBIDDEN"));
    act(() => result.current.mutate(asked));
    await settle();
    expect(alert).toHaveBeenCalledExactlyOnceWith("Forbidden");
  });

  it("that fails is left to its error handler", async () => {
    const onError = vi.fn();
    const result = await failing({ onError }, failure("ERR_FORBIDDEN"));
    act(() => result.current.mutate(asked));
    await settle();
    expect(onError).toHaveBeenCalledOnce();
    expect(alert).not.toHaveBeenCalled();
  });

  it("that fails is reworded and reported where its rules say that the page shows it [S5.1] [S8.7]", async () => {
    const rules = [{ codes: ["ERR_HAS_DEPENDENTS"], message: "Delete its hosts first." }];
    const errors = [
      { code: "ERR_HAS_DEPENDENTS", message: "has dependents" },
      { code: "ERR_TOO_MANY_REQUESTS", message: "too many requests" },
      { code: "ERR_INVALID_VALUE", message: "is bad", path: "force" },
    ];
    const result = await failing({ rules }, new Failure(400, errors));
    act(() => result.current.mutate(asked));
    await waitFor(() => expect(result.current.error).not.toBeNull());
    await settle();
    expect(alert).not.toHaveBeenCalled();
    expect(messageOf(result.current.error!)).toBe(
      "Delete its hosts first.\nToo many requests, please try again later.\nforce: is bad",
    );
    await waitFor(() => expect(server.reports).toHaveLength(1));
    expect(server.reports[0]?.message).toBe("Error on field force fell through");
  });

  it("that fails is left to a caller that awaits and handles it", async () => {
    const result = await failing({}, failure("ERR_HAS_DEPENDENTS"));
    const form = formTarget();
    await act(() => result.current.mutateAsync(asked).catch((error) => handleFormError(error, form)));
    await settle();
    expect(form.setError).toHaveBeenCalledOnce();
    expect(alert).not.toHaveBeenCalled();
  });

  it("that fails in a form alerts once, not twice [S8.4]", async () => {
    const result = await failing({}, failure("ERR_INTERNAL_SERVER_ERROR"));
    const form = formTarget();
    await act(() => result.current.mutateAsync(asked).catch((error) => handleFormError(error, form)));
    await settle();
    expect(alert).toHaveBeenCalledExactlyOnceWith("Internal server error");
  });

  it("that asks for the second factor clears auth, without an alert [S4.10]", async () => {
    const result = await failing({}, failure("ERR_2FA_REQUIRED"));
    act(() => result.current.mutate(asked));
    await settle();
    expect(authState()).toBe("mfaRequired");
    expect(alert).not.toHaveBeenCalled();
  });
});

it("refetches the visible queries of a noun, and nothing else", async () => {
  const server = transport()
    .on(listNetworksV2, () => page([network]))
    .on(whoami, () => user);
  renderHook(() => [useRead(listNetworksV2), useCurrentUser()], { wrapper });
  await waitFor(() => expect(server.calls(whoami)).toHaveLength(1));
  await act(() => invalidateNoun("networks"));
  expect(server.calls(listNetworksV2)).toHaveLength(2);
  expect(server.calls(whoami)).toHaveLength(1);
});

it("refetches the state of a host after a change of hosts, but no list of hosts after a report", async () => {
  const state = keyOf(getHostState, { params: { hostID: "host-1" } });
  const list = keyOf(listHostsV2);
  const isOutdated = (key: typeof list) => queryClient.getQueryState(key)?.isInvalidated;
  for (const key of [state, list]) queryClient.setQueryData(key, {});
  await invalidateNoun("host-state");
  expect([isOutdated(state), isOutdated(list)]).toEqual([true, false]);
  queryClient.setQueryData(state, {});
  await invalidateNoun("hosts");
  expect([isOutdated(state), isOutdated(list)]).toEqual([true, true]);
});
