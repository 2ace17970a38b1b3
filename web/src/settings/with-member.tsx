import type { Member } from "@lightkeeper/contract";
import { useIsMutating, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { allMembersQuery } from "./settings.queries.ts";
import { MEMBERS_PATH } from "../references/settings-paths.ts";

/** Renders its children for the member in the URL, once loaded; a dialog explains that a member is gone. */
export function WithMember({ children }: { children: (member: Member) => ReactNode }) {
  const { memberID } = useParams();
  const close = useCloseDialog(MEMBERS_PATH);
  const { data: members, error } = useQuery(allMembersQuery);
  // The event of a removal can arrive before the response to it.
  const isWriting = useIsMutating() > 0;
  const member = members?.find(({ id }) => id === memberID);
  if (member) return children(member);
  if (isWriting || (!members && !error)) return null;
  return (
    <Dialog
      open
      title="Member not found"
      description={error && !members ? messageOf(error) : "This person may have been removed already."}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
