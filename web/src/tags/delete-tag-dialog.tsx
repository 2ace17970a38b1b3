import { deleteTag, type TagListItem } from "@lightkeeper/contract";
import { refusalOf } from "../lib/dependents.tsx";
import { tagHasDependents } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { toast } from "../ui/toast.ts";

interface DeleteTagDialogProps {
  tag: Pick<TagListItem, "name">;
  onClose: () => void;
  onDeleted: () => unknown;
}

/** The default export is for `lazy()`. */
export default function DeleteTagDialog({ tag: { name }, onClose, onDeleted }: DeleteTagDialogProps) {
  const { mutate, isPending, error } = useWrite(deleteTag, {
    onSuccess: async () => {
      toast(`Tag ${name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    rules: [tagHasDependents],
  });
  return (
    <ConfirmDialog
      open
      danger
      title={
        <>
          Delete tag <bdi>{name}</bdi>?
        </>
      }
      consequence="It, its rules and its settings are gone for good. A tag in use is not deleted."
      confirmLabel="Delete tag"
      pending={isPending}
      error={refusalOf(error)}
      onClose={onClose}
      onConfirm={() => mutate({ params: { tag: name } })}
    />
  );
}
