import { INVITATION_GONE } from "../lib/messages.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { AuthPanel } from "./auth-panel.tsx";

interface NoInvitationProps {
  hasDeclined: boolean;
  canSignUp: boolean;
}

export function NoInvitation({ hasDeclined, canSignUp }: NoInvitationProps) {
  return (
    <AuthPanel
      announced
      title={hasDeclined ? "Invitation declined" : "No open invitation"}
      pageTitle="Auth: Invitation"
      lead={hasDeclined ? "You didn’t join the organization. You can close this page." : INVITATION_GONE}
    >
      {canSignUp && (
        <LinkButton to="/signup" size="large" wide>
          Sign up instead
        </LinkButton>
      )}
      <LinkButton to="/auth/login" variant="quiet">
        Log in
      </LinkButton>
    </AuthPanel>
  );
}
