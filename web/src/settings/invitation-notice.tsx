import { listInvitations } from "@lightkeeper/contract";
import { useRead } from "../lib/query.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";

/** Shown to a member who is invited by another organization. */
export function InvitationNotice() {
  const { data: invitations = [] } = useRead(listInvitations);
  if (invitations.length === 0) return null;
  const names = invitations.map(({ organizationName }) => organizationName).join(", ");
  return (
    <Notice
      tone="info"
      actions={
        <LinkButton to="/auth/invitation" size="small">
          View
        </LinkButton>
      }
    >
      You’re invited to join <bdi>{names}</bdi>.
    </Notice>
  );
}
