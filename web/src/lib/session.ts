/** The session as this browser keeps it: where to go back to, where to sign in, and its end. */
import { signOut as signOutCall } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { queryClient } from "./query.ts";
import { readTokens, removeAllTokens, subscribeToTokens, type TokenNews } from "./tokens.ts";

const RETURN_TO = "returnTo";
const SSO_ORGANIZATION = "ssoOrganizationID";
const SSO_REDIRECT_REFUSED = "ssoRedirectRefused";
const SIGN_OUT_TIMEOUT_MS = 5000;

const isPathOfApp = (path: string) =>
  path.startsWith("/") && !path.startsWith("//") && !path.includes("\\") && !path.startsWith("/auth/");

const here = () => location.pathname + location.search + location.hash;

/** Remembers where the person wanted to be, for after the sign-in. Pages of the sign-in itself do not count. */
export function rememberReturnTo(path: string = here()): void {
  if (isPathOfApp(path)) sessionStorage.setItem(RETURN_TO, path);
}

/** The remembered path, once; else the start page. */
export function takeReturnTo(): string {
  const path = sessionStorage.getItem(RETURN_TO);
  sessionStorage.removeItem(RETURN_TO);
  return path && isPathOfApp(path) ? path : "/";
}

/** The organization of the last single sign-on in this browser. */
export function rememberedSsoOrganization(): string | undefined {
  return localStorage.getItem(SSO_ORGANIZATION) ?? undefined;
}

/** After a single sign-on that worked. */
export function rememberSsoOrganization(organizationID: string): void {
  localStorage.setItem(SSO_ORGANIZATION, organizationID);
  sessionStorage.removeItem(SSO_REDIRECT_REFUSED);
}

/** After signing out, or when single sign-on failed: being sent straight back there would be a loop. */
export function refuseSsoRedirect(): void {
  sessionStorage.setItem(SSO_REDIRECT_REFUSED, "yes");
}

/** Where single sign-on starts, when this browser has used it and redirecting is allowed. */
export function ssoLoginPath(): string | undefined {
  const organizationID = rememberedSsoOrganization();
  if (!organizationID || sessionStorage.getItem(SSO_REDIRECT_REFUSED)) return undefined;
  return `/auth/login/${encodeURIComponent(organizationID)}`;
}

let justSignedOut = false;

/** Whoever signed out does not want to come back to that page. */
export const hasJustSignedOut = (): boolean => justSignedOut;

async function revokeTokens(): Promise<void> {
  await api(signOutCall, { signal: AbortSignal.timeout(SIGN_OUT_TIMEOUT_MS) }).catch(() => undefined);
}

function forget(news: TokenNews): void {
  sessionStorage.clear();
  if (news === "signedOut") becomeSignedOut();
  removeAllTokens(news);
  void queryClient.cancelQueries();
  queryClient.clear();
}

function becomeSignedOut(): void {
  justSignedOut = true;
  refuseSsoRedirect();
}

/** Signs out of the server, whatever it answers, and forgets everything of the session here. */
export async function signOut(): Promise<void> {
  await revokeTokens();
  forget("signedOut");
}

/** The server no longer knows the session: the same, but signing in again leads back to the page. */
export async function expireSession(): Promise<void> {
  await revokeTokens();
  forget("changed");
}

const identity = () => {
  const { userToken, oidcToken } = readTokens();
  return userToken ?? oidcToken;
};

/** Follows what other tabs do, and keeps one person's data from the next one's eyes. */
export function followSession(): () => void {
  let last = identity();
  return subscribeToTokens((news) => {
    if (news === "signedOut") becomeSignedOut();
    const before = last;
    last = identity();
    if (last === before) return;
    if (last === undefined) return queryClient.clear();
    justSignedOut = false;
    if (before !== undefined) void queryClient.resetQueries();
  });
}
