import { useEffect } from "react";
import { clearSignedOutPath } from "../lib/session.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";

export function DeletedAccountPage() {
  useEffect(clearSignedOutPath, []);
  return (
    <AuthPanel
      title="Your account was deleted"
      pageTitle="Account deleted"
      lead="Your organization and everything in it was permanently deleted. Hosts that still run Nebula keep their tunnels until their certificates expire."
    >
      <LinkButton to="/signup" size="large" wide>
        Sign up again
      </LinkButton>
    </AuthPanel>
  );
}
