import { useEffect, useRef, type ReactNode } from "react";
import { Navigate, useNavigate } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { takeReturnTo } from "../lib/session.ts";
import { useAuthState } from "../lib/tokens.ts";
import { Loading } from "./auth-panel.tsx";

/** Redirects to the page the person wanted to open, or to the start page. */
export function RedirectAfterLogin() {
  const navigate = useNavigate();
  // An effect may run twice, but the remembered path can only be taken once.
  const hasRedirected = useRef(false);
  useEffect(() => {
    if (hasRedirected.current) return;
    hasRedirected.current = true;
    void navigate(takeReturnTo(), { replace: true });
  }, [navigate]);
  return null;
}

/** Redirects people who are already logged in. */
export function SignedOutOnly({ children }: { children: ReactNode }) {
  const authState = useAuthState();
  const currentUser = useCurrentUser();
  if (authState === "mfaRequired") return <Navigate to="/auth/mfa" replace />;
  if (authState === "authenticated" && currentUser.isPending) return <Loading />;
  if (authState === "authenticated" && currentUser.isSuccess) return <RedirectAfterLogin />;
  return children;
}
