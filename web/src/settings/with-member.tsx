import type { Member } from "@lightkeeper/contract";
import { useIsMutating, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useCloseDialog } from "./close-dialog.ts";
import { allMembersQuery } from "./settings.queries.ts";
import { MEMBERS_PATH } from "./settings-paths.ts";

/** The member the address names, once they are known; that they are gone is said in their place. */
export function WithMember({ children }: { children: (member: Member) => ReactNode }) {
  const { memberID } = useParams();
  const close = useCloseDialog(MEMBERS_PATH);
  const { data: members, error } = useQuery(allMembersQuery);
  // The news of a removal may be faster than the answer to it.
  const isWriting = useIsMutating() > 0;
  const member = members?.find(({ id }) => id === memberID);
  if (member) return children(member);
  if (isWriting || (!members && !error)) return null;
  return (
    <Dialog
      open
      title="No such member"
      description={error && !members ? messageOf(error) : "They may have been removed meanwhile."}
      onClose={close}
      actions={<Button onClick={close}>Close</Button>}
    />
  );
}
