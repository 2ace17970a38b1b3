import { bulkHosts, type HostsBulk } from "@lightkeeper/contract";
import { useId, useState, type FormEvent, type ReactNode } from "react";
import { hasCode, messageOf } from "../lib/errors.ts";
import type { Rule } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { AccessPreview, usePreviewGuard, type PreviewGuard } from "../preview/access-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
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

const guaranteeViolated: Rule = {
  codes: ["ERR_GUARANTEE_VIOLATED"],
  message: "This change breaks a guarantee.",
};

/** The default export is for `lazy()`. */
export default function BulkDialog({ action, hostCount, hosts, onClose, onStarted }: BulkDialogProps) {
  const guard = usePreviewGuard();
  const { mutateAsync, error } = useWrite(bulkHosts, {
    onSuccess: ({ jobID }) => {
      followJob({ id: jobID, action });
      onStarted();
    },
    rules: [guaranteeViolated],
  });
  function start(change: Change, isConfirmed = false) {
    const body = { ...hosts, ...change };
    const run = () => mutateAsync({ body });
    // The dialog shows the error of the call.
    void guard
      .save({ mutations: mutationsOf(bulkHosts, { body }), name: hostCount, isConfirmed, run })
      .catch(() => undefined);
  }
  const shared = {
    hostCount,
    onClose,
    pending: guard.isSaving,
    // The preview shows which guarantee is broken.
    error: error && !hasCode(error, "ERR_GUARANTEE_VIOLATED") ? messageOf(error) : undefined,
    guard,
    hosts,
  };
  switch (action) {
    case "addTags":
    case "removeTags":
      return <TagsDialog {...shared} action={action} onConfirm={start} />;
    case "setRole":
      return <RoleDialog {...shared} onConfirm={start} />;
    case "block":
    case "unblock":
    case "delete":
      return <AccessDialog {...shared} action={action} onConfirm={() => start({ action }, true)} />;
  }
}

type WithoutHosts<Body> = Body extends unknown ? Omit<Body, "ids" | "filter"> : never;
/** The action with its parameters. */
type Change = WithoutHosts<HostsBulk>;

interface BulkPreviewProps {
  guard: PreviewGuard;
  hosts: Hosts;
  /** Undefined until something is chosen. */
  change: Change | undefined;
}

function BulkPreview({ guard, hosts, change }: BulkPreviewProps) {
  const mutations = change ? mutationsOf(bulkHosts, { body: { ...hosts, ...change } }) : [];
  return <AccessPreview isInline guard={guard} mutations={mutations} />;
}

interface SharedProps {
  hostCount: string;
  onClose: () => void;
  pending: boolean;
  error: string | undefined;
  guard: PreviewGuard;
  hosts: Hosts;
}

interface TagsDialogProps extends SharedProps {
  action: "addTags" | "removeTags";
  onConfirm: (change: Change) => void;
}

function TagsDialog({ action, onConfirm, hostCount, guard, hosts, ...shared }: TagsDialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const isAdding = action === "addTags";
  return (
    <FormDialog
      {...shared}
      title={isAdding ? `Add tags to ${hostCount}` : `Remove tags from ${hostCount}`}
      confirmLabel={isAdding ? "Add tags" : "Remove tags"}
      isReady={tags.length > 0}
      onConfirm={() => onConfirm({ action, tags })}
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
      <BulkPreview guard={guard} hosts={hosts} change={tags.length > 0 ? { action, tags } : undefined} />
    </FormDialog>
  );
}

interface RoleDialogProps extends SharedProps {
  onConfirm: (change: Change) => void;
}

function RoleDialog({ onConfirm, hostCount, guard, hosts, ...shared }: RoleDialogProps) {
  const [roleID, setRoleID] = useState<string | null>(null);
  const change: Change = { action: "setRole", roleID };
  return (
    <FormDialog
      {...shared}
      title={`Set the role of ${hostCount}`}
      confirmLabel="Set role"
      isReady
      onConfirm={() => onConfirm(change)}
    >
      <RolePicker
        label="Role"
        none="No role"
        value={roleID}
        onChange={setRoleID}
        hint="Replaces the current role of these hosts."
      />
      <BulkPreview guard={guard} hosts={hosts} change={change} />
    </FormDialog>
  );
}

interface FormDialogProps extends Omit<SharedProps, "hostCount" | "guard" | "hosts"> {
  title: string;
  confirmLabel: string;
  isReady: boolean;
  onConfirm: () => void;
  children: ReactNode;
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

function AccessDialog({ action, hostCount, guard, hosts, ...dialog }: AccessDialogProps) {
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
    >
      <BulkPreview guard={guard} hosts={hosts} change={{ action }} />
    </ConfirmDialog>
  );
}
