import { useEffect } from "react";
import { useBlocker, type Location } from "react-router";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";

/** Options of a navigation that loses nothing: what was typed has been saved, or what it was for is gone. */
export const nothingToLose = { state: { nothingToLose: true } };

const losesNothing = ({ pathname, state }: Location<unknown>) =>
  (state as Partial<typeof nothingToLose.state> | null)?.nothingToLose === true ||
  // A session that ends takes the person to the sign-in without asking.
  pathname.startsWith("/auth/");

/** Has the browser ask before the tab is closed or loaded anew. */
export function useAskBeforeUnload(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isNeeded]);
}

interface LeaveGuardProps {
  isDirty: boolean;
  title?: string;
  /** What is lost. */
  consequence?: string;
}

/** Asks before typing is lost. */
export function LeaveGuard({
  isDirty,
  title = "Leave without saving?",
  consequence = "What you changed on this page will be lost.",
}: LeaveGuardProps) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && currentLocation.pathname !== nextLocation.pathname && !losesNothing(nextLocation),
  );
  useAskBeforeUnload(isDirty);
  return (
    <ConfirmDialog
      open={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      title={title}
      consequence={consequence}
      confirmLabel="Leave"
      danger
    />
  );
}
