import { BulkConfirmDialog } from "./bulk-confirm-dialog.tsx";
import { BulkRoleDialog, BulkTagsDialog } from "./bulk-form-dialogs.tsx";
import type { BulkAction, BulkDialogProps } from "./bulk-change.ts";

/** The default export is for `lazy()`. */
export default function BulkDialog({ action, ...props }: BulkDialogProps & { action: BulkAction }) {
  switch (action) {
    case "addTags":
    case "removeTags":
      return <BulkTagsDialog {...props} action={action} />;
    case "setRole":
      return <BulkRoleDialog {...props} />;
    case "block":
    case "unblock":
    case "delete":
      return <BulkConfirmDialog {...props} action={action} />;
  }
}
