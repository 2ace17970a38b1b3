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
import { useLogIn } from "./use-log-in.ts";

export const answerRules = [magicLinkInvalid, alreadyMember, invitationRoleChanged];

interface Failure {
  message: string;
  /** Only a new link helps. */
  isLinkInvalid: boolean;
}

/** The three answers that a magic link allows, and why the last one was refused. */
export function useInvitationAnswers(token: string, onOutdated: () => Promise<unknown>) {
  const logIn = useLogIn();
  const [failure, setFailure] = useState<Failure>();
  const [hasDeclined, setHasDeclined] = useState(false);
  const accepting = useWrite(acceptInvitation);
  const declining = useWrite(declineInvitationByLink);
  const creating = useWrite(createOwnOrganization);
  const body = { magicLinkToken: token };

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      const isKnown = error instanceof NotFoundError || error instanceof ValidationError;
      if (!isKnown) return showInAlert(error);
      handleShownError(error, answerRules);
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
        await logIn((await accepting.mutateAsync(input)).sessionToken, { isInvited: true });
      }),
    decline: ({ id }: Invitation) =>
      attempt(async () => {
        await declining.mutateAsync({ params: { invitationID: id }, body });
        setHasDeclined(true);
        await onOutdated();
      }),
    createOwn: () => attempt(async () => logIn((await creating.mutateAsync({ body })).sessionToken)),
  };
}
