import type { ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import styles from "./error-state.module.css";
import { WarningIcon } from "../base/icons.tsx";

export interface ErrorStateProps {
  title?: ReactNode;
  message: ReactNode;
  requestID?: string | undefined;
  onRetry?: (() => void) | undefined;
  retrying?: boolean | undefined;
}

export function ErrorState(props: ErrorStateProps) {
  const { title = "Couldn’t load this", message, requestID, onRetry, retrying } = props;
  return (
    <div role="alert" className={styles.error}>
      <WarningIcon className={styles.icon} />
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.message}>{message}</p>
      {requestID && (
        <p className={styles.request}>
          Request <code>{requestID}</code>
          <CopyButton what="request ID" value={requestID} />
        </p>
      )}
      {onRetry && (
        <Button className={styles.retry} onClick={onRetry} pending={retrying}>
          Try again
        </Button>
      )}
    </div>
  );
}
