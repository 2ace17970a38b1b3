import { type DataOf, type Invitation, listInvitationsByLink, ValidationError } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../lib/api.ts";
import { messageOf, reword } from "../lib/errors.ts";
import { failureOf } from "../lib/list-page.ts";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { keyOf, shouldRetry } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { AuthPanel, Loading } from "./auth-panel.tsx";
import styles from "./auth.module.css";
import { DeclineDialog } from "./decline-dialog.tsx";
import { InvitationDetails, inviterOf } from "./invitation-details.tsx";
import { LinkFailed } from "./link-failed.tsx";
import { NoInvitation } from "./no-invitation.tsx";
import { invitationRules, useInvitationActions } from "./use-invitation-actions.ts";

const TITLE = "Invitation";

/** For an invited address that has no account: its magic link stays valid until an invitation is accepted. */
export function InvitationChoice({ token }: { token: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: keyOf(listInvitationsByLink),
    queryFn: ({ signal }) => api(listInvitationsByLink, { body: { magicLinkToken: token }, signal }),
    retry: (failures, failure) => !(failure instanceof ValidationError) && shouldRetry(failures, failure),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (error instanceof ValidationError)
    return <LinkFailed title={TITLE} message={messageOf(reword(error, invitationRules))} />;
  if (data) return <Invitations {...data} token={token} onOutdated={() => refetch()} />;
  return (
    <AuthPanel title={TITLE} announced>
      {error ? (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Loading />
      )}
    </AuthPanel>
  );
}

interface InvitationsProps extends DataOf<typeof listInvitationsByLink> {
  token: string;
  /** Loads the invitations again. */
  onOutdated: () => Promise<unknown>;
}

function Invitations({ token, email, invitations, canCreateOrganization, onOutdated }: InvitationsProps) {
  const [chosenID, setChosenID] = useState<string>();
  const actions = useInvitationActions(token, onOutdated);
  const { failure, hasDeclined } = actions;
  const chosen = invitations.find(({ id }) => id === chosenID) ?? invitations[0];
  if (failure?.isLinkInvalid) return <LinkFailed title={TITLE} message={failure.message} />;
  if (!chosen) return <NoInvitation hasDeclined={hasDeclined} canSignUp={canCreateOrganization} />;
  const isChoice = invitations.length > 1;
  return (
    <AuthPanel
      announced
      title={isChoice ? "Choose an organization" : `Join ${chosen.organizationName}`}
      pageTitle={`Auth: ${TITLE}`}
      lead={
        <>
          You’re invited as <strong className={styles.address}>{email}</strong>. An account can belong to one
          organization.
        </>
      }
    >
      {failure && <Notice tone="danger">{failure.message}</Notice>}
      {isChoice && <Organizations invitations={invitations} chosen={chosen} onChoose={setChosenID} />}
      <InvitationDetails invitation={chosen} />
      <Actions invitation={chosen} actions={actions} canCreateOrganization={canCreateOrganization} />
      <p className={styles.aside}>Don’t know {inviterOf(chosen)}? Decline, or close this page.</p>
    </AuthPanel>
  );
}

interface ActionsProps {
  invitation: Invitation;
  actions: ReturnType<typeof useInvitationActions>;
  canCreateOrganization: boolean;
}

function Actions({ invitation, actions, canCreateOrganization }: ActionsProps) {
  const [openDialog, setOpenDialog] = useState<"decline" | "create">();
  const closeDialog = () => setOpenDialog(undefined);
  const { accept, decline, createOwn, isAccepting, isDeclining, isCreating } = actions;
  return (
    <div className={styles.actions}>
      <Button
        variant="primary"
        size="large"
        wide
        pending={isAccepting}
        onClick={() => void accept(invitation)}
      >
        Accept invitation
      </Button>
      <Button size="large" wide onClick={() => setOpenDialog("decline")}>
        Decline
      </Button>
      {canCreateOrganization && (
        <Button variant="quiet" onClick={() => setOpenDialog("create")}>
          Create your own organization instead
        </Button>
      )}
      {openDialog === "decline" && (
        <DeclineDialog
          invitation={invitation}
          pending={isDeclining}
          onClose={closeDialog}
          onConfirm={() => void decline(invitation).finally(closeDialog)}
        />
      )}
      <ConfirmDialog
        open={openDialog === "create"}
        title="Create your own organization?"
        consequence="You become the owner of the new organization. You can’t accept an invitation while you belong to an organization."
        confirmLabel="Create organization"
        pending={isCreating}
        onClose={closeDialog}
        onConfirm={() => void createOwn().finally(closeDialog)}
      />
    </div>
  );
}

interface OrganizationsProps {
  invitations: readonly Invitation[];
  chosen: Invitation;
  onChoose: (id: string) => void;
}

function Organizations({ invitations, chosen, onChoose }: OrganizationsProps) {
  return (
    <RadioGroup label="Organization">
      {invitations.map((invitation) => (
        <RadioCard
          key={invitation.id}
          name="organization"
          value={invitation.id}
          checked={invitation.id === chosen.id}
          onChange={() => onChoose(invitation.id)}
          label={<bdi>{invitation.organizationName}</bdi>}
          description={`${memberRoleLabels[invitation.role].label}, invited by ${inviterOf(invitation)}`}
        />
      ))}
    </RadioGroup>
  );
}
