/** Who may see what. Each guard is a route around others: it shows them, waits, or leads elsewhere. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { canWrite } from "../lib/permissions.ts";
import { reportError } from "../lib/report.ts";
import { hasJustSignedOut, rememberReturnTo, ssoLoginPath } from "../lib/session.ts";
import { readTokens, useAuthState } from "../lib/tokens.ts";
import { networkCountQuery } from "../networks/networks.queries.ts";
import { ReadOnly, useReadOnly } from "../ui/base/read-only.ts";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { flagsQuery } from "./flags.ts";
import { isUnder } from "./navigation.ts";
import { NotFoundPage } from "./not-found-page.tsx";

const waiting = <Spinner delayed />;

/** Where someone without a session signs in, by where they wanted to go. */
export function signInPath(pathname: string): string {
  if (isUnder(pathname, "/signup/pro")) return "/signup?plan=pro";
  return ssoLoginPath() ?? "/auth/login";
}

/** Leads to the sign-in and remembers the way back. */
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
  // Asked for at once: the current user decides whether the tokens still hold, and what is offered.
  const { data: person } = useCurrentUser();
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
  // Who cannot make a network is not asked to.
  const isReadOnly = useReadOnly();
  const isExempt = worksWithoutNetworks(useLocation().pathname) || isReadOnly;
  const { data, isPending, isFetching } = useQuery({ ...networkCountQuery, enabled: !isExempt });
  if (isExempt) return <Outlet />;
  const hasNone = data?.metadata.totalCount === 0;
  // Whoever has just made the first network is not sent back on the word of an old answer.
  if (isPending || (hasNone && isFetching)) return waiting;
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
    if (isMistyped) reportError(new Error(`The feature flag ${flag} is not a boolean`));
  }, [flag, isMistyped]);
  if (!flags) {
    if (error) throw error;
    return waiting;
  }
  if (value === true) return <Outlet />;
  return value === false && redirectTo ? <Navigate to={redirectTo} replace /> : <NotFoundPage />;
}

/** Pages that are only for owners who are of type user; others are led elsewhere. */
export function RequireOwner({ redirectTo }: { redirectTo: string }) {
  const { data: user, error } = useCurrentUser();
  if (!user) {
    if (error) throw error;
    return waiting;
  }
  const isOwner = user.actorType === "user" && user.actor.role === "owner";
  return isOwner ? <Outlet /> : <Navigate to={redirectTo} replace />;
}

/** Pages that are only for people of type user; others are led elsewhere or see the 404 page. */
export function RequireTypeUser({ redirectTo }: { redirectTo?: string }) {
  const { data: user, error } = useCurrentUser();
  if (!user) {
    if (error) throw error;
    return waiting;
  }
  if (user.actorType === "user") return <Outlet />;
  return redirectTo ? <Navigate to={redirectTo} replace /> : <NotFoundPage />;
}
