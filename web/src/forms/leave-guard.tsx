import { useEffect } from "react";
import { useBlocker, type Location } from "react-router";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";

/** Options of a navigation that loses nothing: the form was saved, or its object deleted. */
export const nothingToLose = { state: { nothingToLose: true } };

const losesNothing = ({ pathname, state }: Location<unknown>) =>
  (state as Partial<typeof nothingToLose.state> | null)?.nothingToLose === true ||
  // An expired session redirects to the login page without a question.
  pathname.startsWith("/auth/");

/** Makes the browser ask before the tab is closed or reloaded. */
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
  /** What leaving loses. */
  consequence?: string;
}

/** Asks before unsaved changes are lost. */
export function LeaveGuard({
  isDirty,
  title = "Leave without saving?",
  consequence = "Your unsaved changes will be lost.",
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
