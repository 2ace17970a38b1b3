import { removeMember, type Member } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { lastOwner } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { CreatedKeysChoice, useCreatedKeys } from "./created-keys.tsx";
import { OwnersOnly } from "./owners-only.tsx";
import { allMembersQuery } from "./settings.queries.ts";
import { WithMember } from "./with-member.tsx";
import { MEMBERS_PATH } from "../references/settings-paths.ts";

export function MemberRemoveDialog() {
  return (
    <OwnersOnly title="Remove member">
      <WithMember>{(member) => <RemoveMember member={member} />}</WithMember>
    </OwnersOnly>
  );
}

const texts: Record<Member["kind"], { action: string; consequence: string; done: string }> = {
  user: {
    action: "Remove",
    consequence: "This person is logged out everywhere immediately and needs a new invitation to rejoin.",
    done: "removed",
  },
  oidcUser: {
    action: "Remove",
    consequence:
      "This person is logged out everywhere immediately and can’t sign in or enroll devices until an owner readmits them. Enrolled devices stay connected until their sign-in expires. To disconnect them now, block those hosts.",
    done: "removed",
  },
  invitation: {
    action: "Withdraw the invitation of",
    consequence: "The invitation can no longer be accepted.",
    done: "no longer invited",
  },
};

function RemoveMember({ member: { id, email, kind } }: { member: Member }) {
  const { action, consequence, done } = texts[kind];
  const label = kind === "invitation" ? "Withdraw invitation" : "Remove member";
  usePageTitle(`${action} ${email}`);
  const close = useCloseDialog(MEMBERS_PATH);
  const renew = useRenewal();
  const created = useCreatedKeys(id, { enabled: kind !== "invitation" });
  const { mutate, isPending, error } = useWrite(removeMember, {
    invalidates: ["auth", "api-keys"],
    onSuccess: () => {
      toast(`${email} ${done}`, { tone: "ok" });
      close();
    },
    rules: [lastOwner],
    onError: renew,
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`${action} ${email}?`}
      consequence={`${consequence}${useOpenInvitations(email)}`}
      confirmLabel={label}
      loading={created.isLoading}
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ params: { memberID: id }, query: { revokeAPIKeys: created.isRevoking } })}
    >
      {kind !== "invitation" && <CreatedKeysChoice {...created} title="API keys this person created" />}
    </ConfirmDialog>
  );
}

/** Invitations belong to the organization, so they stay open when their sender is removed. */
function useOpenInvitations(inviter: string): string {
  const [openedAt] = useState(() => Date.now());
  const { data: members = [] } = useQuery(allMembersQuery);
  const open = members.filter(
    ({ invitedBy, expiresAt }) =>
      invitedBy === inviter && expiresAt !== null && new Date(expiresAt).getTime() > openedAt,
  );
  if (open.length === 0) return "";
  return ` Invitations that this person sent stay open (${open.map(({ email }) => email).join(", ")}). Withdraw them in the list of members.`;
}
