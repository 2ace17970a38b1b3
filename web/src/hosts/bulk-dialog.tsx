import { bulkHosts, type HostsBulk } from "@lightkeeper/contract";
import { useId, useState, type FormEvent } from "react";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { RolePicker } from "../references/role-picker.tsx";
import { TagPicker } from "../references/tag-picker.tsx";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { followJob } from "./bulk-jobs.ts";
import styles from "./bulk.module.css";

type Action = HostsBulk["action"];
type Hosts = Pick<HostsBulk, "ids"> | Pick<HostsBulk, "filter">;

interface BulkDialogProps {
  action: Action;
  /** "25 hosts" */
  what: string;
  hosts: Hosts;
  onClose: () => void;
  onBegun: () => void;
}

/** The default export is for `lazy()`. */
export default function BulkDialog({ action, what, hosts, onClose, onBegun }: BulkDialogProps) {
  const { mutate, isPending, error } = useWrite(bulkHosts, {
    onSuccess: ({ jobID }) => {
      followJob({ id: jobID, action });
      onBegun();
    },
    rules: [],
  });
  const shared = { what, onClose, pending: isPending, error: error ? messageOf(error) : undefined };
  switch (action) {
    case "addTags":
    case "removeTags":
      return (
        <TagsDialog
          {...shared}
          isAdding={action === "addTags"}
          onConfirm={(tags) => mutate({ body: { ...hosts, action, tags } })}
        />
      );
    case "setRole":
      return (
        <RoleDialog {...shared} onConfirm={(roleID) => mutate({ body: { ...hosts, action, roleID } })} />
      );
    case "block":
    case "unblock":
    case "delete":
      return (
        <AccessDialog {...shared} action={action} onConfirm={() => mutate({ body: { ...hosts, action } })} />
      );
  }
}

interface Shared {
  what: string;
  onClose: () => void;
  pending: boolean;
  error: string | undefined;
}

interface TagsDialogProps extends Shared {
  isAdding: boolean;
  onConfirm: (tags: string[]) => void;
}

function TagsDialog({ isAdding, onConfirm, what, ...shared }: TagsDialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  return (
    <FormDialog
      {...shared}
      title={isAdding ? `Add tags to ${what}` : `Remove tags from ${what}`}
      confirmLabel={isAdding ? "Add tags" : "Remove tags"}
      isReady={tags.length > 0}
      onConfirm={() => onConfirm(tags)}
    >
      <TagPicker
        label="Tags"
        value={tags}
        onChange={setTags}
        hint={
          isAdding
            ? "They bring their rules, routes and overrides to every one of them."
            : "Those that do not have them stay as they are."
        }
      />
    </FormDialog>
  );
}

function RoleDialog({ onConfirm, what, ...shared }: Shared & { onConfirm: (roleID: string | null) => void }) {
  const [roleID, setRoleID] = useState<string | null>(null);
  return (
    <FormDialog
      {...shared}
      title={`Set the role of ${what}`}
      confirmLabel="Set role"
      isReady
      onConfirm={() => onConfirm(roleID)}
    >
      <RolePicker
        label="Role"
        none="No role"
        value={roleID}
        onChange={setRoleID}
        hint="Its rules take the place of those of the role they have now."
      />
    </FormDialog>
  );
}

interface FormDialogProps extends Omit<Shared, "what"> {
  title: string;
  confirmLabel: string;
  isReady: boolean;
  onConfirm: () => void;
  children: React.ReactNode;
}

function FormDialog(props: FormDialogProps) {
  const { title, confirmLabel, isReady, onConfirm, onClose, pending, error, children } = props;
  const formID = useId();
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isReady && !pending) onConfirm();
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formID} variant="primary" disabled={!isReady} pending={pending}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={formID} className={styles.form} onSubmit={submit}>
        {children}
        {error && <Notice tone="danger">{error}</Notice>}
      </form>
    </Dialog>
  );
}

const consequences = {
  block: {
    verb: "Block",
    consequence:
      "They are cut off at once: their certificates are revoked and no other host talks to them. Unblocked, each has to enroll again.",
  },
  unblock: {
    verb: "Unblock",
    consequence: "They may come back. Each has to enroll again before it can.",
  },
  delete: {
    verb: "Delete",
    consequence:
      "They are cut off at once and their addresses become free. Hosts that serve a route are left as they are. This cannot be undone.",
  },
} as const;

interface AccessDialogProps extends Shared {
  action: keyof typeof consequences;
  onConfirm: () => void;
}

function AccessDialog({ action, what, ...dialog }: AccessDialogProps) {
  const { verb, consequence } = consequences[action];
  return (
    <ConfirmDialog
      open
      {...dialog}
      danger={action !== "unblock"}
      title={`${verb} ${what}?`}
      consequence={consequence}
      confirmLabel={verb}
      typedName={action === "unblock" ? undefined : `${verb.toLowerCase()} ${what}`}
    />
  );
}
