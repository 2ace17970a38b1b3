import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  authorization,
  authState,
  readTokens,
  removeAllTokens,
  removeAuthTokens,
  renewUserToken,
  saveAuthToken,
  saveOidcToken,
  saveUserToken,
  subscribeToTokens,
  useAuthState,
} from "./tokens.ts";

beforeEach(() => removeAllTokens());
afterEach(() => vi.restoreAllMocks());

const cookiesWritten = () => vi.spyOn(document, "cookie", "set");

describe("the cookies", () => {
  it("are SameSite=Strict, Secure and for every path, with an expiry in days [S3.1] [S9.4]", () => {
    const written = cookiesWritten();
    saveUserToken("user");
    saveAuthToken("auth");
    saveOidcToken("oidc");
    expect(written.mock.calls.map(([cookie]) => cookie)).toEqual([
      "usertoken=user; path=/; samesite=strict; secure; max-age=315360000",
      "authtoken=auth; path=/; samesite=strict; secure; max-age=57888",
      "oidtoken=oidc; path=/; samesite=strict; secure; max-age=57888",
    ]);
  });

  it("read back what was saved", () => {
    saveUserToken("user");
    saveAuthToken("auth");
    expect(readTokens()).toEqual({ userToken: "user", authToken: "auth", oidcToken: undefined });
  });

  it("aren't confused with cookies whose names end the same", () => {
    document.cookie = "notusertoken=stranger; path=/";
    expect(readTokens().userToken).toBeUndefined();
  });

  it("keep the user token when the auth tokens are removed", () => {
    saveUserToken("user");
    saveAuthToken("auth");
    saveOidcToken("oidc");
    removeAuthTokens();
    expect(readTokens()).toEqual({ userToken: "user", authToken: undefined, oidcToken: undefined });
  });

  it("renew the user token at each visit, because browsers cap its age", () => {
    saveUserToken("user");
    const written = cookiesWritten();
    renewUserToken();
    expect(written).toHaveBeenCalledExactlyOnceWith(
      "usertoken=user; path=/; samesite=strict; secure; max-age=315360000",
    );
  });

  it("renew nothing without a user token", () => {
    const written = cookiesWritten();
    renewUserToken();
    expect(written).not.toHaveBeenCalled();
  });
});

describe("the Authorization header [S7.1]", () => {
  it("is absent without tokens", () => expect(authorization()).toBeUndefined());

  it("carries the user token and the auth token", () => {
    saveUserToken("user");
    saveAuthToken("auth");
    expect(authorization()).toBe("Bearer user auth");
  });

  it("carries the user token alone before the second factor", () => {
    saveUserToken("user");
    expect(authorization()).toBe("Bearer user");
  });

  it("prefers the user token to the single sign-on token", () => {
    saveUserToken("user");
    saveOidcToken("oidc");
    expect(authorization()).toBe("Bearer user");
  });

  it("carries the single sign-on token when there is no user token", () => {
    saveOidcToken("oidc");
    expect(authorization()).toBe("Bearer oidc");
  });
});

describe("the auth state [S4.1]", () => {
  it("is unauthenticated with neither a user token nor a single sign-on token", () => {
    saveAuthToken("auth");
    expect(authState()).toBe("unauthenticated");
  });

  it("is mfaRequired with a user token but no auth token", () => {
    saveUserToken("user");
    expect(authState()).toBe("mfaRequired");
  });

  it("is authenticated with both", () => {
    saveUserToken("user");
    saveAuthToken("auth");
    expect(authState()).toBe("authenticated");
  });

  it("is authenticated with a single sign-on token", () => {
    saveOidcToken("oidc");
    expect(authState()).toBe("authenticated");
  });

  it("is followed by components", () => {
    const State = () => <p>{useAuthState()}</p>;
    render(<State />);
    expect(screen.getByText("unauthenticated")).toBeTruthy();
    act(() => saveUserToken("user"));
    expect(screen.getByText("mfaRequired")).toBeTruthy();
  });

  it("is read again when the person returns to the tab", () => {
    const listener = vi.fn();
    const stop = subscribeToTokens(listener);
    document.dispatchEvent(new Event("visibilitychange"));
    stop();
    document.dispatchEvent(new Event("visibilitychange"));
    expect(listener).toHaveBeenCalledExactlyOnceWith("changed");
  });
});

describe("other tabs", () => {
  it("are notified of a sign-out here", async () => {
    const otherTab = new BroadcastChannel("lightkeeper-tokens");
    const heard = new Promise((resolve) => otherTab.addEventListener("message", ({ data }) => resolve(data)));
    removeAllTokens();
    expect(await heard).toBe("signedOut");
    otherTab.close();
  });

  it("are followed when they sign out", async () => {
    const otherTab = new BroadcastChannel("lightkeeper-tokens");
    const heard = new Promise((resolve) => subscribeToTokens(resolve));
    otherTab.postMessage("signedOut");
    expect(await heard).toBe("signedOut");
    otherTab.close();
  });
});
