import { inviteMember, type Member } from "@lightkeeper/contract";
import { lazy, Suspense } from "react";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, LogoutIcon, MailIcon, MoreIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { LEAVE_PATH, memberPath } from "../references/settings-paths.ts";

/** Loaded on demand, because few organizations have removed members. */
const ReadmitMenu = lazy(() => import("./readmit-menu.tsx"));

interface MemberMenuProps {
  member: Member;
  isMe: boolean;
}

/** The actions of an owner. The identity provider decides the role of people who use single sign-on. */
export function MemberMenu({ member, isMe }: MemberMenuProps) {
  return member.removedAt === null ? (
    <ActiveMemberMenu member={member} isMe={isMe} />
  ) : (
    <Suspense>
      <ReadmitMenu member={member} />
    </Suspense>
  );
}

function ActiveMemberMenu({ member: { id, email, role, kind }, isMe }: MemberMenuProps) {
  const renew = useRenewal();
  const { mutate: invite } = useWrite(inviteMember, {
    onSuccess: () => void toast(`Invitation sent again to ${email}`, { tone: "ok" }),
    onError: (error) => {
      if (!renew(error)) toast(messageOf(error), { tone: "danger" });
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
        isMe
          ? { label: "Leave organization…", icon: <LogoutIcon />, danger: true, to: LEAVE_PATH }
          : {
              label: isInvitation ? "Withdraw invitation…" : "Remove…",
              icon: <TrashIcon />,
              danger: true,
              to: memberPath(id, "remove"),
            },
      ]}
    />
  );
}
