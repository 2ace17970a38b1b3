import { useEffect } from "react";
import { clearSignedOutPath } from "../lib/session.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";

export function LeftOrganizationPage() {
  useEffect(clearSignedOutPath, []);
  return (
    <AuthPanel
      title="You left the organization"
      pageTitle="Organization left"
      lead="You’re logged out everywhere. To join another organization, open the link in its invitation email."
    >
      <LinkButton to="/auth/login" size="large" wide>
        Log in
      </LinkButton>
    </AuthPanel>
  );
}
