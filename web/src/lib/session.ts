/** The session as this browser keeps it: where to go back to, where to sign in, and its end. */
import { revokeSessions, signOut as signOutCall } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { queryClient } from "./query.ts";
import { clearStored } from "./stored.ts";
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

/** Removes what belongs to the account from this tab and from the browser; how to sign in next time stays. */
function clearStorage(): void {
  const organizationID = rememberedSsoOrganization();
  sessionStorage.clear();
  clearStored();
  if (organizationID !== undefined) localStorage.setItem(SSO_ORGANIZATION, organizationID);
}

function endSession(news: TokenNews): void {
  if (news === "signedOut") becomeSignedOut();
  else {
    const returnTo = sessionStorage.getItem(RETURN_TO);
    sessionStorage.clear();
    if (returnTo !== null) sessionStorage.setItem(RETURN_TO, returnTo);
  }
  removeAllTokens(news);
  void queryClient.cancelQueries();
  queryClient.clear();
}

function becomeSignedOut(): void {
  clearStorage();
  justSignedOut = true;
  refuseSsoRedirect();
}

const ACCOUNT = "accountID";

/** Views and columns saved in this browser belong to one account: another one starts with its own. */
export function claimStorage(accountID: string): void {
  const owner = localStorage.getItem(ACCOUNT);
  if (owner === accountID) return;
  if (owner !== null) clearStorage();
  localStorage.setItem(ACCOUNT, accountID);
}

/** Signs out of the server, whatever it answers, and forgets everything of the session here. */
export async function signOut(): Promise<void> {
  await revokeTokens();
  endSession("signedOut");
}

/** Ends every session of this user, this one included. Throws if the server does not: then the session continues. */
export async function signOutEverywhere(): Promise<void> {
  await api(revokeSessions);
  endSession("signedOut");
}

/** The server no longer knows the session: the same, but signing in again leads back to the page. */
export async function expireSession(): Promise<void> {
  await revokeTokens();
  endSession("changed");
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
