import { useState } from "react";
import { flushSync } from "react-dom";
import styles from "./action-bar.module.css";
import { Button } from "../controls/button.tsx";
import { classNames } from "../base/class-names.ts";
import { Dialog } from "../overlays/dialog.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { CloseIcon } from "../base/icons.tsx";
import { useIsPhone } from "../base/phone.ts";
import { Announcement } from "../base/visually-hidden.tsx";

export interface BarAction {
  label: string;
  danger?: boolean | undefined;
  onSelect: () => void;
}

export interface ActionBarProps {
  /** "2 selected" */
  summary: string;
  actions: readonly BarAction[];
  /** Clears the selection. */
  onCancel: () => void;
}

/** The actions for the selected rows, at the bottom of the window. */
export function ActionBar(props: ActionBarProps) {
  const { summary } = props;
  const Actions = useIsPhone() ? SheetActions : InlineActions;
  return (
    <div role="toolbar" aria-label="Selected rows" className={styles.bar}>
      <strong className={styles.summary}>{summary}</strong>
      <Announcement>{summary}</Announcement>
      <Actions {...props} />
    </div>
  );
}

function InlineActions({ actions, onCancel }: ActionBarProps) {
  return (
    <>
      {actions.map((action) => (
        <ActionButton key={action.label} {...action} variant="quiet" />
      ))}
      <Button variant="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </>
  );
}

function SheetActions({ summary, actions, onCancel }: ActionBarProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="primary" aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(true)}>
        Actions
      </Button>
      <IconButton label="Cancel" icon={<CloseIcon />} tooltip={false} onClick={onCancel} />
      <Dialog open={isOpen} onClose={close} title={summary}>
        <div className={styles.sheet}>
          {actions.map(({ onSelect, ...action }) => (
            <ActionButton
              key={action.label}
              {...action}
              wide
              onSelect={() => {
                // Return the focus to "Actions" first, so that a dialog of the action returns it there.
                flushSync(close);
                onSelect();
              }}
            />
          ))}
        </div>
      </Dialog>
    </>
  );
}

interface ActionButtonProps extends BarAction {
  variant?: "quiet" | undefined;
  wide?: boolean | undefined;
}

function ActionButton({ label, danger, onSelect, ...look }: ActionButtonProps) {
  return (
    <Button {...look} className={classNames(danger && styles.danger)} onClick={onSelect}>
      {label}
    </Button>
  );
}
