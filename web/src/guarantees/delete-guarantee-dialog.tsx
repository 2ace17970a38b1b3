import { deleteGuarantee, type Guarantee } from "@lightkeeper/contract";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { toast } from "../ui/feedback/toast.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { useSentenceText } from "./guarantee-sentence.tsx";

interface DeleteGuaranteeDialogProps {
  guarantee: Guarantee;
  onClose: () => void;
  onDeleted: () => unknown;
}

/** The default export is for `lazy()`. */
export default function DeleteGuaranteeDialog({ guarantee, onClose, onDeleted }: DeleteGuaranteeDialogProps) {
  const sentence = useSentenceText(guarantee);
  const { mutate, isPending, error } = useWrite(deleteGuarantee, {
    onSuccess: async () => {
      toast("Guarantee deleted", { tone: "ok" });
      await onDeleted();
    },
    rules: [],
  });
  return (
    <ConfirmDialog
      open
      danger
      title="Delete guarantee?"
      consequence={`${sentence}. After you delete this guarantee, changes that break it are no longer rejected.`}
      confirmLabel="Delete guarantee"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate({ params: { guaranteeID: guarantee.id } })}
    />
  );
}
