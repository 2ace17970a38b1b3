import { useEffect, useRef, type ReactNode } from "react";
import { Navigate, useNavigate } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { takeReturnTo } from "../lib/session.ts";
import { useAuthState } from "../lib/tokens.ts";
import { Waiting } from "./auth-panel.tsx";

/** Back to where the person wanted to be, else to the start page. */
export function GoOn() {
  const navigate = useNavigate();
  // The remembered path can be taken once, an effect may run twice.
  const taken = useRef(false);
  useEffect(() => {
    if (taken.current) return;
    taken.current = true;
    void navigate(takeReturnTo(), { replace: true });
  }, [navigate]);
  return null;
}

/** Whoever is signed in already goes on instead. */
export function SignedOutOnly({ children }: { children: ReactNode }) {
  const authState = useAuthState();
  const currentUser = useCurrentUser();
  if (authState === "mfaRequired") return <Navigate to="/auth/mfa" replace />;
  if (authState === "authenticated" && currentUser.isPending) return <Waiting />;
  if (authState === "authenticated" && currentUser.isSuccess) return <GoOn />;
  return children;
}
