import { inviteMember } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { useCurrentUser } from "../lib/current-user.ts";
import { canCall } from "../lib/permissions.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { MEMBERS_PATH } from "../references/settings-paths.ts";

interface OwnersOnlyProps {
  /** The action. */
  title: string;
  children: ReactNode;
}

/** Opened without being an owner, the dialog explains that before anything is filled in. */
export function OwnersOnly({ title, children }: OwnersOnlyProps) {
  const { data: person } = useCurrentUser();
  const close = useCloseDialog(MEMBERS_PATH);
  if (!person) return null;
  if (canCall(person, inviteMember)) return children;
  return (
    <Dialog
      open
      title={title}
      description={`Only owners of the organization can do this. Your role is ${memberRoleLabels[person.actor.role].label}.`}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
