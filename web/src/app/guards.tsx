/** Each guard is a route around other routes: it shows them, waits, or redirects. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { canWrite } from "../lib/permissions.ts";
import { reportError } from "../lib/report.ts";
import { hasJustSignedOut, readSignedOutPath, rememberReturnTo, ssoLoginPath } from "../lib/session.ts";
import { readTokens, useAuthState } from "../lib/tokens.ts";
import { networkCountQuery } from "../references/networks.queries.ts";
import { ReadOnly, useReadOnly } from "../ui/base/read-only.ts";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { flagsQuery } from "./flags.ts";
import { isUnder } from "./navigation.ts";
import { NotFoundPage } from "./not-found-page.tsx";

const loading = <Spinner delayed />;

/** The login page for someone who wants to open this path. */
export function signInPath(pathname: string): string {
  if (isUnder(pathname, "/signup/pro")) return "/signup?plan=pro";
  return ssoLoginPath() ?? "/auth/login";
}

/** Redirects to the login page and remembers the page to return to. */
function SignIn({ to }: { to: string }) {
  const { pathname, search, hash } = useLocation();
  useEffect(() => {
    if (!hasJustSignedOut()) rememberReturnTo(pathname + search + hash);
  }, [pathname, search, hash]);
  return <Navigate to={to} replace />;
}

export function RequireAuthenticated() {
  const state = useAuthState();
  const { pathname } = useLocation();
  // Loaded immediately: it shows whether the tokens are still valid, and what the person can do.
  const { data: person } = useCurrentUser();
  const signedOutPath = readSignedOutPath();
  if (state !== "authenticated" && signedOutPath) return <Navigate to={signedOutPath} replace />;
  if (state === "unauthenticated") return <SignIn to={signInPath(pathname)} />;
  if (state === "mfaRequired") return <SignIn to="/auth/mfa" />;
  return (
    <ReadOnly value={!canWrite(person)}>
      <Outlet />
    </ReadOnly>
  );
}

export function RequireUserToken() {
  useAuthState();
  return readTokens().userToken ? <Outlet /> : <Navigate to="/auth/login" replace />;
}

const worksWithoutNetworks = (pathname: string) =>
  ["/settings", "/support", "/downloads", "/logs"].some((path) => isUnder(pathname, path));

export function RequireGotStarted() {
  // Auditors can't create a network.
  const isReadOnly = useReadOnly();
  const isExempt = worksWithoutNetworks(useLocation().pathname) || isReadOnly;
  const { data: person, isLoading: isLoadingPerson } = useCurrentUser();
  const { data, isPending, isFetching } = useQuery({ ...networkCountQuery, enabled: !isExempt });
  if (isExempt) return <Outlet />;
  const hasNone = data?.metadata.totalCount === 0;
  // Two things must not redirect: an outdated count after creating the first network, and a count that is loaded
  // before an auditor is known to be one. The context learns that a moment after this component.
  const isUndecided = isFetching || isLoadingPerson || !canWrite(person);
  if (isPending || (hasNone && isUndecided)) return loading;
  return hasNone ? <Navigate to="/get-started" replace /> : <Outlet />;
}

export interface RequireFlagProps {
  flag: string;
  /** Where to go instead of the 404 page while the flag is off. */
  redirectTo?: string;
}

export function RequireFlag({ flag, redirectTo }: RequireFlagProps) {
  const { data: flags, error } = useQuery(flagsQuery);
  const value: unknown = flags?.[flag];
  const isMistyped = flags !== undefined && typeof value !== "boolean";
  useEffect(() => {
    if (isMistyped) reportError(new Error(`The feature flag ${flag} isn’t a boolean`));
  }, [flag, isMistyped]);
  if (!flags) {
    if (error) throw error;
    return loading;
  }
  if (value === true) return <Outlet />;
  return value === false && redirectTo ? <Navigate to={redirectTo} replace /> : <NotFoundPage />;
}

/** For owners of type user; redirects others. */
export function RequireOwner({ redirectTo }: { redirectTo: string }) {
  const { data: user, error } = useCurrentUser();
  if (!user) {
    if (error) throw error;
    return loading;
  }
  const isOwner = user.actorType === "user" && user.actor.role === "owner";
  return isOwner ? <Outlet /> : <Navigate to={redirectTo} replace />;
}

/** For actors of type user; others are redirected or see the 404 page. */
export function RequireTypeUser({ redirectTo }: { redirectTo?: string }) {
  const { data: user, error } = useCurrentUser();
  if (!user) {
    if (error) throw error;
    return loading;
  }
  if (user.actorType === "user") return <Outlet />;
  return redirectTo ? <Navigate to={redirectTo} replace /> : <NotFoundPage />;
}
