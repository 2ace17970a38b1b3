import { bulkHosts, type HostsBulk } from "@lightkeeper/contract";
import { useId, useState, type FormEvent } from "react";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { RolePicker } from "../pickers/role-picker.tsx";
import { TagPicker } from "../pickers/tag-picker.tsx";
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
  hostCount: string;
  hosts: Hosts;
  onClose: () => void;
  onStarted: () => void;
}

/** The default export is for `lazy()`. */
export default function BulkDialog({ action, hostCount, hosts, onClose, onStarted }: BulkDialogProps) {
  const { mutate, isPending, error } = useWrite(bulkHosts, {
    onSuccess: ({ jobID }) => {
      followJob({ id: jobID, action });
      onStarted();
    },
    rules: [],
  });
  const shared = { hostCount, onClose, pending: isPending, error: error ? messageOf(error) : undefined };
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

interface SharedProps {
  hostCount: string;
  onClose: () => void;
  pending: boolean;
  error: string | undefined;
}

interface TagsDialogProps extends SharedProps {
  isAdding: boolean;
  onConfirm: (tags: string[]) => void;
}

function TagsDialog({ isAdding, onConfirm, hostCount, ...shared }: TagsDialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  return (
    <FormDialog
      {...shared}
      title={isAdding ? `Add tags to ${hostCount}` : `Remove tags from ${hostCount}`}
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
            ? "Each host gets the rules, routes and settings of these tags."
            : "Hosts without these tags don’t change."
        }
      />
    </FormDialog>
  );
}

function RoleDialog({
  onConfirm,
  hostCount,
  ...shared
}: SharedProps & { onConfirm: (roleID: string | null) => void }) {
  const [roleID, setRoleID] = useState<string | null>(null);
  return (
    <FormDialog
      {...shared}
      title={`Set the role of ${hostCount}`}
      confirmLabel="Set role"
      isReady
      onConfirm={() => onConfirm(roleID)}
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

interface FormDialogProps extends Omit<SharedProps, "hostCount"> {
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
      "These hosts are disconnected immediately and their certificates are revoked. Each must enroll again after it’s unblocked.",
  },
  unblock: {
    verb: "Unblock",
    consequence: "To reconnect these hosts, enroll each of them again.",
  },
  delete: {
    verb: "Delete",
    consequence:
      "These hosts are disconnected immediately and their addresses become available. Hosts that are the router of a route aren’t deleted. You can’t undo this.",
  },
} as const;

interface AccessDialogProps extends SharedProps {
  action: keyof typeof consequences;
  onConfirm: () => void;
}

function AccessDialog({ action, hostCount, ...dialog }: AccessDialogProps) {
  const { verb, consequence } = consequences[action];
  return (
    <ConfirmDialog
      open
      {...dialog}
      danger={action !== "unblock"}
      title={`${verb} ${hostCount}?`}
      consequence={consequence}
      confirmLabel={verb}
      typedName={action === "unblock" ? undefined : `${verb.toLowerCase()} ${hostCount}`}
    />
  );
}
