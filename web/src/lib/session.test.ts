import { getNetworkV2, signOut as signOutCall } from "@lightkeeper/contract";
import { describe, expect, it, vi } from "vitest";
import { signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, transport, unreachable } from "../testing/transport.ts";
import { queryClient, read } from "./query.ts";
import {
  claimStorage,
  expireSession,
  hasJustSignedOut,
  suppressSsoRedirect,
  rememberReturnTo,
  rememberSsoOrganization,
  signOut,
  ssoLoginPath,
  takeReturnTo,
} from "./session.ts";
import { stored } from "./stored.ts";
import { authState, readTokens, removeAuthTokens, saveOidcToken, saveUserToken } from "./tokens.ts";

const asked = read(getNetworkV2, { params: { networkID: network.id } });

const savedChoice = stored("views", "none", (json) => (typeof json === "string" ? json : undefined));

describe("signing out [S4.12]", () => {
  it("revokes the tokens, then clears the session in this browser [S7.6]", async () => {
    signIn();
    sessionStorage.setItem("filterNetworkId", network.id);
    queryClient.setQueryData(asked.queryKey, network);
    const server = transport().on(signOutCall, () => ({}));
    await signOut();
    expect(server.calls(signOutCall)[0]?.authorization).toBe("Bearer user-token auth-token");
    expect(readTokens()).toEqual({ userToken: undefined, authToken: undefined, oidcToken: undefined });
    expect(sessionStorage.getItem("filterNetworkId")).toBeNull();
    expect(queryClient.getQueryData(asked.queryKey)).toBeUndefined();
  });

  it.each([failure("ERR_UNAUTHORIZED"), failure("ERR_INTERNAL_SERVER_ERROR"), unreachable()])(
    "ignores what goes wrong on the server",
    async (error) => {
      signIn();
      transport().on(signOutCall, () => {
        throw error;
      });
      await signOut();
      expect(authState()).toBe("unauthenticated");
    },
  );

  it("redirects neither to single sign-on nor back to the page", async () => {
    rememberSsoOrganization("org-A");
    saveOidcToken("oidc");
    transport().on(signOutCall, () => ({}));
    await signOut();
    expect(ssoLoginPath()).toBeUndefined();
    expect(hasJustSignedOut()).toBe(true);
    saveUserToken("next");
    expect(hasJustSignedOut()).toBe(false);
  });

  it("removes the account's saved views and other preferences from the browser", async () => {
    signIn();
    rememberSsoOrganization("org-A");
    savedChoice.write("mine");
    transport().on(signOutCall, () => ({}));
    await signOut();
    expect(savedChoice.read()).toBe("none");
    expect(localStorage.length).toBe(1);
    expect(localStorage.getItem("ssoOrganizationID")).toBe("org-A");
  });

  it("in another tab also signs out this tab", async () => {
    rememberSsoOrganization("org-A");
    signIn();
    sessionStorage.setItem("filterNetworkId", network.id);
    sessionStorage.setItem("enrollment code host-A", "secret");
    queryClient.setQueryData(asked.queryKey, network);
    const otherTab = new BroadcastChannel("lightkeeper-tokens");
    document.cookie = "usertoken=; path=/; max-age=0";
    document.cookie = "authtoken=; path=/; max-age=0";
    otherTab.postMessage("signedOut");
    await vi.waitFor(() => expect(queryClient.getQueryData(asked.queryKey)).toBeUndefined());
    expect(ssoLoginPath()).toBeUndefined();
    expect(sessionStorage.getItem("filterNetworkId")).toBeNull();
    expect(sessionStorage.getItem("enrollment code host-A")).toBeNull();
    otherTab.close();
  });
});

describe("a session that the server no longer accepts", () => {
  it("is cleared, and single sign-on may start again", async () => {
    rememberSsoOrganization("org-A");
    saveOidcToken("oidc");
    transport().on(signOutCall, () => ({}));
    await expireSession();
    expect(authState()).toBe("unauthenticated");
    expect(ssoLoginPath()).toBe("/auth/login/org-A");
  });

  it("keeps the return path and the account's preferences", async () => {
    signIn();
    rememberReturnTo("/roles?cursor=b");
    sessionStorage.setItem("enrollment code host-A", "secret");
    savedChoice.write("mine");
    transport().on(signOutCall, () => ({}));
    await expireSession();
    expect(takeReturnTo()).toBe("/roles?cursor=b");
    expect(savedChoice.read()).toBe("mine");
    expect(sessionStorage.getItem("enrollment code host-A")).toBeNull();
  });
});

describe("preferences saved in the browser", () => {
  it("stay with the account that saved them", () => {
    claimStorage("user-A");
    savedChoice.write("mine");
    claimStorage("user-A");
    expect(savedChoice.read()).toBe("mine");
    claimStorage("user-B");
    expect(savedChoice.read()).toBe("none");
  });
});

describe("a different person's session in another tab", () => {
  it("removes the first person's data", () => {
    saveUserToken("ada");
    queryClient.setQueryData(asked.queryKey, network);
    saveUserToken("grace");
    expect(queryClient.getQueryData(asked.queryKey)).toBeUndefined();
  });

  it("keeps the data while the same person only needs their second factor", () => {
    signIn();
    queryClient.setQueryData(asked.queryKey, network);
    removeAuthTokens();
    expect(queryClient.getQueryData(asked.queryKey)).toEqual(network);
  });
});

describe("the return path", () => {
  it("is used once, then defaults to the start page", () => {
    rememberReturnTo("/settings/networks?cursor=b");
    expect(takeReturnTo()).toBe("/settings/networks?cursor=b");
    expect(takeReturnTo()).toBe("/");
  });

  it.each(["/auth/mfa", "https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example"])(
    "never leads to %s",
    (path) => {
      rememberReturnTo(path);
      expect(takeReturnTo()).toBe("/");
      sessionStorage.setItem("returnTo", path);
      expect(takeReturnTo()).toBe("/");
    },
  );
});

describe("the redirect to single sign-on [S4.2]", () => {
  it("requires an organization that this browser has signed in to", () => {
    expect(ssoLoginPath()).toBeUndefined();
    rememberSsoOrganization("org-A");
    expect(ssoLoginPath()).toBe("/auth/login/org-A");
  });

  it("is rejected after an error until single sign-on has worked", () => {
    rememberSsoOrganization("org-A");
    suppressSsoRedirect();
    expect(ssoLoginPath()).toBeUndefined();
    rememberSsoOrganization("org-A");
    expect(ssoLoginPath()).toBe("/auth/login/org-A");
  });
});
