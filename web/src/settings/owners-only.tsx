import { inviteMember } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { useCurrentUser } from "../lib/current-user.ts";
import { canCall } from "../lib/permissions.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useCloseDialog } from "./close-dialog.ts";
import { memberRoleLabels } from "./member-role-labels.ts";
import { MEMBERS_PATH } from "./settings-paths.ts";

interface OwnersOnlyProps {
  /** What would be done. */
  title: string;
  children: ReactNode;
}

/** Who comes to the address without being an owner is told so before anything is filled in. */
export function OwnersOnly({ title, children }: OwnersOnlyProps) {
  const { data: person } = useCurrentUser();
  const close = useCloseDialog(MEMBERS_PATH);
  if (!person) return null;
  if (canCall(person, inviteMember)) return children;
  return (
    <Dialog
      open
      title={title}
      description={`Only an owner of the organization can do this. Your role is ${memberRoleLabels[person.actor.role].label.toLowerCase()}.`}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
