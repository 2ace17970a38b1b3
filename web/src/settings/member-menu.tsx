import { inviteMember, type Member } from "@lightkeeper/contract";
import { messageOf, reword } from "../lib/errors.ts";
import { tooManyRequests } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { EditIcon, MailIcon, MoreIcon, TrashIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { toast } from "../ui/toast.ts";
import { memberPath } from "./settings-paths.ts";

/** What an owner can do with a member; the role of who comes by single sign-on is the provider's to give. */
export function MemberMenu({ member: { id, email, role, kind } }: { member: Member }) {
  const renew = useRenewal();
  const { mutate: invite } = useWrite(inviteMember, {
    onSuccess: () => void toast(`Invitation sent to ${email} again`, { tone: "ok" }),
    onError: (error) => {
      if (!renew(error)) toast(messageOf(reword(error, [tooManyRequests])), { tone: "danger" });
    },
  });
  const isInvitation = kind === "invitation";
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${email}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        ...(kind === "oidcUser"
          ? []
          : [{ label: "Change role…", icon: <EditIcon />, to: memberPath(id, "edit") }]),
        ...(isInvitation
          ? [
              {
                label: "Send invitation again",
                icon: <MailIcon />,
                onSelect: () => invite({ body: { email, role } }),
              },
            ]
          : []),
        {
          label: isInvitation ? "Withdraw invitation…" : "Remove…",
          icon: <TrashIcon />,
          danger: true,
          to: memberPath(id, "remove"),
        },
      ]}
    />
  );
}
