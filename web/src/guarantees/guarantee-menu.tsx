import { resumeGuarantee, type Guarantee } from "@lightkeeper/contract";
import { useWrite } from "../lib/query.ts";
import { guaranteePath } from "../references/guarantee-link.ts";
import { BlockIcon, EditIcon, MoreIcon, RefreshIcon, TrashIcon } from "../ui/base/icons.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { Menu } from "../ui/overlays/menu.tsx";
import { useSentenceText } from "./guarantee-sentence.tsx";

export interface GuaranteeActions {
  onSuspend: (guarantee: Guarantee) => void;
  onDelete: (guarantee: Guarantee) => void;
}

/** The actions of a row. */
export function GuaranteeMenu({
  guarantee,
  onSuspend,
  onDelete,
}: GuaranteeActions & { guarantee: Guarantee }) {
  const sentence = useSentenceText(guarantee);
  const { mutate: resume } = useWrite(resumeGuarantee, {
    onSuccess: () => toast("Guarantee resumed", { tone: "ok" }),
  });
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${sentence}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: guaranteePath(guarantee.id) },
        guarantee.suspension
          ? {
              label: "Resume",
              writes: true,
              icon: <RefreshIcon />,
              onSelect: () => resume({ params: { guaranteeID: guarantee.id } }),
            }
          : { label: "Suspend…", writes: true, icon: <BlockIcon />, onSelect: () => onSuspend(guarantee) },
        {
          label: "Delete…",
          writes: true,
          icon: <TrashIcon />,
          danger: true,
          onSelect: () => onDelete(guarantee),
        },
      ]}
    />
  );
}
