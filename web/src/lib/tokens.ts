/**
 * The session's three cookies, and what they amount to. Script-readable by design: the server never reads
 * Cookie, the console writes them into the Authorization header itself.
 */
import { AUTH_TOKEN_DAYS, SESSION_TOKEN_DAYS } from "@lightkeeper/contract";
import { useSyncExternalStore } from "react";

const OIDC_TOKEN_DAYS = 0.67;
const SECONDS_PER_DAY = 86_400;

export type AuthState = "unauthenticated" | "mfaRequired" | "authenticated";

export interface Tokens {
  userToken: string | undefined;
  authToken: string | undefined;
  oidcToken: string | undefined;
}

type CookieName = "usertoken" | "authtoken" | "oidtoken";

/** Signing out is someone's wish; other changes may just be a credential that ended or began. */
export type TokenNews = "changed" | "signedOut";
type Listener = (news: TokenNews) => void;

const listeners = new Set<Listener>();
const otherTabs =
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("lightkeeper-tokens");

function tellThisTab(news: TokenNews): void {
  for (const listener of listeners) listener(news);
}

otherTabs?.addEventListener("message", ({ data }: MessageEvent<TokenNews>) => tellThisTab(data));
// A cookie ends silently: what it meant is looked at again when the person comes back to the tab.
document.addEventListener("visibilitychange", () => tellThisTab("changed"));

export function subscribeToTokens(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(news: TokenNews): void {
  tellThisTab(news);
  otherTabs?.postMessage(news);
}

function readCookie(name: CookieName): string | undefined {
  for (const part of document.cookie.split("; ")) {
    if (part.startsWith(`${name}=`)) return part.slice(name.length + 1) || undefined;
  }
  return undefined;
}

function writeCookie(name: CookieName, value: string, days?: number): void {
  const age = days === undefined ? "" : `; max-age=${Math.round(days * SECONDS_PER_DAY)}`;
  document.cookie = `${name}=${value}; path=/; samesite=strict; secure${age}`;
}

const removeCookie = (name: CookieName) => writeCookie(name, "", 0);

export function readTokens(): Tokens {
  return {
    userToken: readCookie("usertoken"),
    authToken: readCookie("authtoken"),
    oidcToken: readCookie("oidtoken"),
  };
}

export function saveUserToken(token: string): void {
  writeCookie("usertoken", token, SESSION_TOKEN_DAYS);
  tell("changed");
}

export function saveAuthToken(token: string): void {
  writeCookie("authtoken", token, AUTH_TOKEN_DAYS);
  tell("changed");
}

export function saveOidcToken(token: string): void {
  writeCookie("oidtoken", token, OIDC_TOKEN_DAYS);
  tell("changed");
}

/** Browsers keep a cookie for 400 days at most, so a session of ten years is renewed at each visit. */
export function renewUserToken(): void {
  const { userToken } = readTokens();
  if (userToken) writeCookie("usertoken", userToken, SESSION_TOKEN_DAYS);
}

/** Removes what a second factor or single sign-on gave; the user token stays, the next sign-in needs it. */
export function removeAuthTokens(): void {
  removeCookie("authtoken");
  removeCookie("oidtoken");
  tell("changed");
}

export function removeAllTokens(news: TokenNews = "signedOut"): void {
  for (const name of ["usertoken", "authtoken", "oidtoken"] as const) removeCookie(name);
  tell(news);
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
