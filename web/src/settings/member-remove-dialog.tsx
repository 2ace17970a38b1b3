import { removeMember, type Member } from "@lightkeeper/contract";
import { messageOf, reword } from "../lib/errors.ts";
import { lastOwner } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { toast } from "../ui/toast.ts";
import { useCloseDialog } from "./close-dialog.ts";
import { OwnersOnly } from "./owners-only.tsx";
import { WithMember } from "./with-member.tsx";

export function Component() {
  return (
    <OwnersOnly title="Remove member">
      <WithMember>{(member) => <RemoveMember member={member} />}</WithMember>
    </OwnersOnly>
  );
}

const words: Record<Member["kind"], { act: string; consequence: string; done: string }> = {
  user: {
    act: "Remove",
    consequence:
      "They are logged out at once, everywhere, and can come back only by a new invitation. What they made stays, API keys included.",
    done: "removed",
  },
  oidcUser: {
    act: "Remove",
    consequence:
      "They are logged out at once, everywhere. They come back with their next single sign-on, unless your identity provider refuses it.",
    done: "removed",
  },
  invitation: {
    act: "Withdraw the invitation of",
    consequence: "The mail they got no longer lets them in.",
    done: "no longer invited",
  },
};

function RemoveMember({ member: { id, email, kind } }: { member: Member }) {
  const { act, consequence, done } = words[kind];
  const label = kind === "invitation" ? "Withdraw invitation" : "Remove member";
  usePageTitle(`${act} ${email}`);
  const close = useCloseDialog();
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(removeMember, {
    invalidates: ["auth"],
    onSuccess: () => {
      toast(`${email} ${done}`, { tone: "ok" });
      close();
    },
    onError: (failure) => void (renew(failure) || reword(failure, [lastOwner])),
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`${act} ${email}?`}
      consequence={consequence}
      confirmLabel={label}
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ params: { memberID: id } })}
    />
  );
}
