/** The session in this browser: the page to return to, how to log in, and logging out. */
import { revokeSessions, signOut as signOutCall } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { queryClient } from "./query.ts";
import { clearStored } from "./stored.ts";
import { readTokens, removeAllTokens, subscribeToTokens, type TokenChange } from "./tokens.ts";

const RETURN_TO = "returnTo";
const SSO_ORGANIZATION = "ssoOrganizationID";
const SSO_REDIRECT_SUPPRESSED = "ssoRedirectRefused";
const SIGN_OUT_TIMEOUT_MS = 5000;

const isAppPath = (path: string) =>
  path.startsWith("/") && !path.startsWith("//") && !path.includes("\\") && !path.startsWith("/auth/");

const here = () => location.pathname + location.search + location.hash;

/** Remembers the page to return to after login. Pages of the login itself are ignored. */
export function rememberReturnTo(path: string = here()): void {
  if (isAppPath(path)) sessionStorage.setItem(RETURN_TO, path);
}

/** Returns and forgets the remembered path; without one, the start page. */
export function takeReturnTo(): string {
  const path = sessionStorage.getItem(RETURN_TO);
  sessionStorage.removeItem(RETURN_TO);
  return path && isAppPath(path) ? path : "/";
}

/** The organization of the last single sign-on in this browser. */
export function rememberedSsoOrganization(): string | undefined {
  return localStorage.getItem(SSO_ORGANIZATION) ?? undefined;
}

/** Called after a successful single sign-on. */
export function rememberSsoOrganization(organizationID: string): void {
  localStorage.setItem(SSO_ORGANIZATION, organizationID);
  sessionStorage.removeItem(SSO_REDIRECT_SUPPRESSED);
}

/** Called after logging out or a failed single sign-on, where an automatic redirect would loop. */
export function suppressSsoRedirect(): void {
  sessionStorage.setItem(SSO_REDIRECT_SUPPRESSED, "yes");
}

/** Where single sign-on starts, if this browser has used it and redirecting is allowed. */
export function ssoLoginPath(): string | undefined {
  const organizationID = rememberedSsoOrganization();
  if (!organizationID || sessionStorage.getItem(SSO_REDIRECT_SUPPRESSED)) return undefined;
  return `/auth/login/${encodeURIComponent(organizationID)}`;
}

let justSignedOut = false;

/** After logging out, the next login must not return to the page that was open. */
export const hasJustSignedOut = (): boolean => justSignedOut;

let signedOutPath: string | undefined;

/** The page that the guards redirect to instead of the login page, until it is shown. */
export const readSignedOutPath = (): string | undefined => signedOutPath;

export function clearSignedOutPath(): void {
  signedOutPath = undefined;
}

async function revokeTokens(): Promise<void> {
  await api(signOutCall, { signal: AbortSignal.timeout(SIGN_OUT_TIMEOUT_MS) }).catch(() => undefined);
}

/** Removes the account's data from this tab and from the browser, except how to log in next time. */
function clearStorage(): void {
  const organizationID = rememberedSsoOrganization();
  sessionStorage.clear();
  clearStored();
  if (organizationID !== undefined) localStorage.setItem(SSO_ORGANIZATION, organizationID);
}

function endSession(change: TokenChange): void {
  if (change === "signedOut") becomeSignedOut();
  else {
    const returnTo = sessionStorage.getItem(RETURN_TO);
    sessionStorage.clear();
    if (returnTo !== null) sessionStorage.setItem(RETURN_TO, returnTo);
  }
  removeAllTokens(change);
  void queryClient.cancelQueries();
  queryClient.clear();
}

function becomeSignedOut(): void {
  clearStorage();
  justSignedOut = true;
  suppressSsoRedirect();
}

const ACCOUNT = "accountID";

/** Views and columns saved in this browser belong to one account: a different account starts without them. */
export function claimStorage(accountID: string): void {
  const owner = localStorage.getItem(ACCOUNT);
  if (owner === accountID) return;
  if (owner !== null) clearStorage();
  localStorage.setItem(ACCOUNT, accountID);
}

/**
 * Revokes the tokens on the server, ignoring errors, and clears the session in this browser.
 * The guards then redirect to the login page, or to `path`.
 */
export async function signOut(path?: string): Promise<void> {
  signedOutPath = path ?? signedOutPath;
  await revokeTokens();
  endSession("signedOut");
}

/** Ends every session of this user, including this one. Throws if the server fails: then the session continues. */
export async function signOutEverywhere(): Promise<void> {
  await api(revokeSessions);
  endSession("signedOut");
}

/** The server no longer accepts the session: like signing out, but the next login returns to the page. */
export async function expireSession(): Promise<void> {
  await revokeTokens();
  endSession("changed");
}

const identity = () => {
  const { userToken, oidcToken } = readTokens();
  return userToken ?? oidcToken;
};

/** Follows logins and logouts in other tabs, so that no data of one account is shown to the next. */
export function followSession(): () => void {
  let last = identity();
  return subscribeToTokens((change) => {
    if (change === "signedOut") becomeSignedOut();
    const before = last;
    last = identity();
    if (last === before) return;
    if (last === undefined) return queryClient.clear();
    justSignedOut = false;
    clearSignedOutPath();
    if (before !== undefined) void queryClient.resetQueries();
  });
}
