import { type Member, readmitMember } from "@lightkeeper/contract";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CheckIcon, MoreIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/feedback/toast.ts";

/** A default export, for `lazy()`. */
export default function ReadmitMenu({ member: { id, email } }: { member: Member }) {
  const renew = useRenewal();
  const { mutate: readmit } = useWrite(readmitMember, {
    onSuccess: () => void toast(`${email} can sign in again`, { tone: "ok" }),
    onError: (error) => {
      if (!renew(error)) toast(messageOf(error), { tone: "danger" });
    },
  });
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${email}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Readmit", icon: <CheckIcon />, onSelect: () => readmit({ params: { memberID: id } }) },
      ]}
    />
  );
}
