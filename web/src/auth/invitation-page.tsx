import { declineInvitation, type Invitation, listInvitations, NotFoundError } from "@lightkeeper/contract";
import { useState } from "react";
import { Link, Navigate, useNavigate, useSearchParams } from "react-router";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { messageOf } from "../lib/errors.ts";
import { failureOf } from "../lib/list-page.ts";
import { INVITATION_GONE } from "../lib/messages.ts";
import { invalidateNoun, useRead, useWrite } from "../lib/query.ts";
import { signOut } from "../lib/session.ts";
import { useAuthState } from "../lib/tokens.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { DeclineDialog } from "./decline-dialog.tsx";
import { InvitationDetails } from "./invitation-details.tsx";

const TITLE = "Invitation";

/** Opened from an invitation email. People without an account respond after they log in by magic link. */
export function InvitationPage() {
  const authState = useAuthState();
  const { data: person, error } = useCurrentUser();
  const invitedEmail = useInvitedEmail();
  if (authState === "unauthenticated") return <Navigate to={loginPath(invitedEmail)} replace />;
  if (authState === "mfaRequired") return <Navigate to="/auth/mfa" replace />;
  if (!person) {
    if (error) throw error;
    return <Loading />;
  }
  if (person.actorType !== "user" || (invitedEmail && invitedEmail !== person.actor.email))
    return <OtherAccount person={person} invitedEmail={invitedEmail} />;
  return <OwnInvitations person={person} />;
}

function useInvitedEmail(): string {
  const [parameters] = useSearchParams();
  return (parameters.get("email") ?? "").trim().toLowerCase();
}

const loginPath = (email: string) =>
  email ? `/auth/login?email=${encodeURIComponent(email)}` : "/auth/login";

interface OtherAccountProps {
  person: Person;
  invitedEmail: string;
}

/** The account that is logged in isn't the invited one, or single sign-on hasn't verified its address. */
function OtherAccount({ person, invitedEmail }: OtherAccountProps) {
  const navigate = useNavigate();
  const [isLoggingOut, setLoggingOut] = useState(false);
  async function logOut() {
    setLoggingOut(true);
    await signOut();
    await navigate(loginPath(invitedEmail), { replace: true });
  }
  return (
    <AuthPanel
      title="Log out to see this invitation"
      pageTitle={`Auth: ${TITLE}`}
      lead={
        <>
          You’re logged in as <strong className={styles.address}>{person.actor.email}</strong>
          {person.actorType === "oidcUser" && " with single sign-on"}.{" "}
          {invitedEmail ? (
            <>
              The invitation is for <strong className={styles.address}>{invitedEmail}</strong>. Log in with a
              link sent to that address.
            </>
          ) : (
            "To respond to an invitation, log in with a link sent to the invited address."
          )}
        </>
      }
    >
      <Button variant="primary" size="large" wide pending={isLoggingOut} onClick={() => void logOut()}>
        Log out
      </Button>
      <LinkButton to="/" variant="quiet">
        Stay logged in
      </LinkButton>
    </AuthPanel>
  );
}

function OwnInvitations({ person }: { person: Person }) {
  const { data: invitations, error, isFetching, refetch } = useRead(listInvitations);
  const { name } = person.organization;
  if (!invitations)
    return (
      <AuthPanel title={TITLE}>
        {error ? (
          <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <Loading />
        )}
      </AuthPanel>
    );
  return (
    <AuthPanel
      title={invitations.length > 1 ? "Your invitations" : TITLE}
      pageTitle={`Auth: ${TITLE}`}
      lead={
        invitations.length === 0
          ? "You have no open invitations. An invitation may have expired or been withdrawn."
          : undefined
      }
    >
      {invitations.length > 0 && (
        <Notice tone="info">
          <p>
            You belong to <bdi>{name}</bdi>, and an account can belong to one organization. To accept,{" "}
            <Link to="/settings/organization/leave">leave {name}</Link> first. Then open the link in the
            invitation email again.
          </p>
        </Notice>
      )}
      {invitations.map((invitation) => (
        <OwnInvitation key={invitation.id} invitation={invitation} />
      ))}
      <LinkButton to="/" size="large" wide>
        Back to {name}
      </LinkButton>
    </AuthPanel>
  );
}

function OwnInvitation({ invitation }: { invitation: Invitation }) {
  const [isDialogOpen, setDialogOpen] = useState(false);
  const { mutate: decline, isPending } = useWrite(declineInvitation, {
    onSuccess: () => {
      toast("Invitation declined", { tone: "ok" });
      setDialogOpen(false);
    },
    onError: async (error) => {
      setDialogOpen(false);
      toast(error instanceof NotFoundError ? INVITATION_GONE : messageOf(error), { tone: "danger" });
      await invalidateNoun(declineInvitation.noun);
    },
  });
  return (
    <div className={styles.actions}>
      <InvitationDetails invitation={invitation} />
      <Button onClick={() => setDialogOpen(true)}>Decline</Button>
      {isDialogOpen && (
        <DeclineDialog
          invitation={invitation}
          pending={isPending}
          onClose={() => setDialogOpen(false)}
          onConfirm={() => decline({ params: { invitationID: invitation.id } })}
        />
      )}
    </div>
  );
}
