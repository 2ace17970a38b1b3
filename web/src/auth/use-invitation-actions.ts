import {
  acceptInvitation,
  createOwnOrganization,
  declineInvitationByLink,
  type Invitation,
  NotFoundError,
  ValidationError,
} from "@lightkeeper/contract";
import { useState } from "react";
import { handleShownError, hasCode, messageOf, showInAlert } from "../lib/errors.ts";
import { alreadyMember, INVITATION_GONE, invitationRoleChanged, magicLinkInvalid } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useStartSession } from "./use-start-session.ts";

export const invitationRules = [magicLinkInvalid, alreadyMember, invitationRoleChanged];

interface Failure {
  message: string;
  /** The person needs a new link. */
  isLinkInvalid: boolean;
}

/** The three actions that a magic link allows, and why the last one was rejected. */
export function useInvitationActions(token: string, onOutdated: () => Promise<unknown>) {
  const startSession = useStartSession();
  const [failure, setFailure] = useState<Failure>();
  const [hasDeclined, setHasDeclined] = useState(false);
  const accepting = useWrite(acceptInvitation);
  const declining = useWrite(declineInvitationByLink);
  const creating = useWrite(createOwnOrganization);
  const body = { magicLinkToken: token };

  async function attempt(action: () => Promise<unknown>): Promise<void> {
    setFailure(undefined);
    try {
      await action();
    } catch (error) {
      const isKnown = error instanceof NotFoundError || error instanceof ValidationError;
      if (!isKnown) return showInAlert(error);
      handleShownError(error, invitationRules);
      const isLinkInvalid = hasCode(error, "ERR_INVALID_MAGIC_LINK_TOKEN");
      const isGone = error instanceof NotFoundError;
      setFailure({
        message: isGone ? INVITATION_GONE : messageOf(error),
        isLinkInvalid,
      });
      if (!isLinkInvalid) await onOutdated();
    }
  }

  return {
    failure,
    hasDeclined,
    isAccepting: accepting.isPending,
    isDeclining: declining.isPending,
    isCreating: creating.isPending,
    accept: ({ id, role }: Invitation) =>
      attempt(async () => {
        const input = { params: { invitationID: id }, body: { ...body, role } };
        await startSession((await accepting.mutateAsync(input)).sessionToken, { isInvited: true });
      }),
    decline: ({ id }: Invitation) =>
      attempt(async () => {
        await declining.mutateAsync({ params: { invitationID: id }, body });
        setHasDeclined(true);
        await onOutdated();
      }),
    createOwn: () => attempt(async () => startSession((await creating.mutateAsync({ body })).sessionToken)),
  };
}
