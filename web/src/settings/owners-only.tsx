import { inviteMember } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { useCurrentUser } from "../lib/current-user.ts";
import { may } from "../lib/may.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useCloseDialog } from "./close-dialog.ts";
import { roleWords } from "../lib/member-roles.ts";
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
  if (may(person, inviteMember)) return children;
  return (
    <Dialog
      open
      title={title}
      description={`Only an owner of the organization can do this. Your role is ${roleWords[person.actor.role].label.toLowerCase()}.`}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
