/**
 * The three session cookies and the authentication state they imply. They are readable by scripts because the server
 * never reads Cookie headers: the console sends them in the Authorization header.
 */
import { AUTH_TOKEN_DAYS, SESSION_TOKEN_DAYS } from "@lightkeeper/contract";
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import { useSyncExternalStore } from "react";

const OIDC_TOKEN_DAYS = 0.67;

export type AuthState = "unauthenticated" | "mfaRequired" | "authenticated";

export interface Tokens {
  userToken: string | undefined;
  authToken: string | undefined;
  oidcToken: string | undefined;
}

type CookieName = "usertoken" | "authtoken" | "oidtoken";

/** `signedOut`: the person logged out. `changed`: a token was added, removed or has expired. */
export type TokenChange = "changed" | "signedOut";
type Listener = (change: TokenChange) => void;

const listeners = new Set<Listener>();
const otherTabs =
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("lightkeeper-tokens");

function notifyThisTab(change: TokenChange): void {
  for (const listener of listeners) listener(change);
}

otherTabs?.addEventListener("message", ({ data }: MessageEvent<TokenChange>) => notifyThisTab(data));
// Cookies expire without an event, so the state is read again when the person returns to the tab.
document.addEventListener("visibilitychange", () => notifyThisTab("changed"));

export function subscribeToTokens(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyAllTabs(change: TokenChange): void {
  notifyThisTab(change);
  otherTabs?.postMessage(change);
}

function findCookie(parts: readonly string[], name: CookieName): string | undefined {
  const part = parts.find((candidate) => candidate.startsWith(`${name}=`));
  return part?.slice(name.length + 1) || undefined;
}

function writeCookie(name: CookieName, value: string, days?: number): void {
  const age = days === undefined ? "" : `; max-age=${Math.round(days * DAY_SECONDS)}`;
  document.cookie = `${name}=${value}; path=/; samesite=strict; secure${age}`;
}

const removeCookie = (name: CookieName) => writeCookie(name, "", 0);

export function readTokens(): Tokens {
  // The browser reads cookies in another process, so they are read once.
  const parts = document.cookie.split("; ");
  return {
    userToken: findCookie(parts, "usertoken"),
    authToken: findCookie(parts, "authtoken"),
    oidcToken: findCookie(parts, "oidtoken"),
  };
}

export function saveUserToken(token: string): void {
  writeCookie("usertoken", token, SESSION_TOKEN_DAYS);
  notifyAllTabs("changed");
}

export function saveAuthToken(token: string): void {
  writeCookie("authtoken", token, AUTH_TOKEN_DAYS);
  notifyAllTabs("changed");
}

export function saveOidcToken(token: string): void {
  writeCookie("oidtoken", token, OIDC_TOKEN_DAYS);
  notifyAllTabs("changed");
}

/** Browsers keep a cookie for at most 400 days, so a ten-year session is renewed at each visit. */
export function renewUserToken(): void {
  const { userToken } = readTokens();
  if (userToken) writeCookie("usertoken", userToken, SESSION_TOKEN_DAYS);
}

/** Removes the tokens of the second factor and of single sign-on. The user token stays: the next login needs it. */
export function removeAuthTokens(): void {
  removeCookie("authtoken");
  removeCookie("oidtoken");
  notifyAllTabs("changed");
}

export function removeAllTokens(change: TokenChange = "signedOut"): void {
  for (const name of ["usertoken", "authtoken", "oidtoken"] as const) removeCookie(name);
  notifyAllTabs(change);
}

/** The whole Authorization header. */
export function authorization(): string | undefined {
  const { userToken, authToken, oidcToken } = readTokens();
  if (userToken) return authToken ? `Bearer ${userToken} ${authToken}` : `Bearer ${userToken}`;
  return oidcToken && `Bearer ${oidcToken}`;
}

export function authState(): AuthState {
  const { userToken, authToken, oidcToken } = readTokens();
  if (userToken) return authToken ? "authenticated" : "mfaRequired";
  return oidcToken ? "authenticated" : "unauthenticated";
}

export function useAuthState(): AuthState {
  return useSyncExternalStore(subscribeToTokens, authState);
}
