import { bulkHosts } from "@lightkeeper/contract";
import { useId, useState, type FormEvent, type ReactNode } from "react";
import { hasCode, messageOf } from "../lib/errors.ts";
import { RolePicker } from "../pickers/role-picker.tsx";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { AccessPreview, usePreviewGuard } from "../preview/access-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { useBulkWrite, type BulkChange, type BulkDialogProps } from "./bulk-change.ts";
import styles from "./bulk.module.css";

interface BulkTagsDialogProps extends BulkDialogProps {
  action: "addTags" | "removeTags";
}

export function BulkTagsDialog({ action, ...props }: BulkTagsDialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const isAdding = action === "addTags";
  return (
    <FormDialog
      {...props}
      title={isAdding ? `Add tags to ${props.hostCount}` : `Remove tags from ${props.hostCount}`}
      confirmLabel={isAdding ? "Add tags" : "Remove tags"}
      change={tags.length > 0 ? { action, tags } : undefined}
    >
      <TagPicker
        label="Tags"
        value={tags}
        onChange={setTags}
        hint={
          isAdding
            ? "Each host gets the rules, routes and settings of these tags."
            : "Hosts without these tags don’t change."
        }
      />
    </FormDialog>
  );
}

export function BulkRoleDialog(props: BulkDialogProps) {
  const [roleID, setRoleID] = useState<string | null>(null);
  return (
    <FormDialog
      {...props}
      title={`Set the role of ${props.hostCount}`}
      confirmLabel="Set role"
      change={{ action: "setRole", roleID }}
    >
      <RolePicker
        label="Role"
        none="No role"
        value={roleID}
        onChange={setRoleID}
        hint="Replaces the current role of these hosts."
      />
    </FormDialog>
  );
}

interface FormDialogProps extends BulkDialogProps {
  title: string;
  confirmLabel: string;
  /** Undefined until something is chosen. */
  change: BulkChange | undefined;
  children: ReactNode;
}

function FormDialog(props: FormDialogProps) {
  const { title, confirmLabel, change, hostCount, hosts, onClose, onStarted, children } = props;
  const formID = useId();
  const guard = usePreviewGuard();
  const { mutateAsync, error } = useBulkWrite(onStarted);
  const body = change && { ...hosts, ...change };
  const mutations = body ? mutationsOf(bulkHosts, { body }) : [];
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!body || guard.isSaving) return;
    // The dialog shows the error of the call.
    const run = () => mutateAsync({ body });
    void guard.save({ mutations, name: hostCount, run }).catch(() => undefined);
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formID} variant="primary" disabled={!body} pending={guard.isSaving}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formID} className={styles.form} onSubmit={submit}>
        {children}
        <AccessPreview isInline guard={guard} mutations={mutations} />
        {/* The preview shows which guarantee is broken. */}
        {error && !hasCode(error, "ERR_GUARANTEE_VIOLATED") && (
          <Notice tone="danger">{messageOf(error)}</Notice>
        )}
      </form>
    </Dialog>
  );
}
