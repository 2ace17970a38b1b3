import { deleteTag, type TagListItem } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { DeleteWithPreview } from "../preview/delete-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { tagHasDependents } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { DetachPreview } from "../rules/detach-preview.tsx";
import { tagDependentsQuery } from "../rules/detach.queries.ts";
import { toast } from "../ui/feedback/toast.ts";

interface DeleteTagDialogProps {
  tag: Pick<TagListItem, "name">;
  onClose: () => void;
  onDeleted: () => unknown;
}

const rules = [tagHasDependents, guaranteeViolated];

/** The default export is for `lazy()`. */
export default function DeleteTagDialog({ tag: { name }, onClose, onDeleted }: DeleteTagDialogProps) {
  const dependents = useQuery(tagDependentsQuery(name));
  const { data } = dependents;
  const params = { tag: name };
  const { mutate, isPending, error } = useWrite(deleteTag, {
    onSuccess: async () => {
      toast(`Tag ${name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    // Something may have started to use the tag since the preview.
    onError: () => void dependents.refetch(),
    rules,
    invalidates: ["hosts", "roles", "routes"],
  });
  return (
    <DeleteWithPreview
      noun="tag"
      name={name}
      consequence="The tag, its rules and its settings will be permanently deleted."
      dependents={dependents}
      preview={data && <DetachPreview noun="tag" filter={{ tag: name }} dependents={data} />}
      mutations={mutationsOf(deleteTag, { params, query: { detach: true } })}
      pending={isPending}
      error={error}
      rules={rules}
      onClose={onClose}
      onConfirm={(isDetached) => mutate({ params, ...(isDetached && { query: { detach: true } }) })}
    />
  );
}
