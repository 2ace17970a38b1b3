import type { HostV2 } from "@lightkeeper/contract";
import { kindOf } from "../references/host-link.tsx";
import { messageOf } from "../lib/errors.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Countdown, useRemaining } from "../ui/on-demand/countdown.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { EnrollCommands } from "./enroll-commands.tsx";
import styles from "./enrollment.module.css";
import { LocalServerNotice } from "./local-server-notice.tsx";
import type { StoredCode } from "./stored-codes.ts";
import type { Enrollment } from "./use-enrollment.ts";

interface HostCodeProps {
  host: HostV2;
  enrollment: Enrollment;
}

/** The enrollment code with its commands, or the button that creates it. */
export function HostCode({ host, enrollment }: HostCodeProps) {
  const { storedCode, createCode, isCreating, error } = enrollment;
  if (storedCode)
    return <CodeCard key={storedCode.code} host={host} storedCode={storedCode} enrollment={enrollment} />;
  if (host.metadata.enrolledAt === null && !error) {
    return (
      <Card>
        <Spinner delayed label="Creating a code" />
      </Card>
    );
  }
  return (
    <Card>
      <div className={styles.stack}>
        {host.metadata.enrolledAt !== null && (
          <Notice tone="warn">
            This {kindOf(host)} is already enrolled. When the new code is used, its current keys stop working.
            Until then, nothing changes.
          </Notice>
        )}
        {error && <Notice tone="danger">{messageOf(error)}</Notice>}
        <div className={styles.actions}>
          <Button variant="primary" pending={isCreating} onClick={createCode}>
            Create enrollment code
          </Button>
        </div>
      </div>
    </Card>
  );
}

interface CodeCardProps extends HostCodeProps {
  storedCode: StoredCode;
}

function CodeCard({ host, storedCode, enrollment: { createCode, isCreating, error } }: CodeCardProps) {
  const remainingMs = useRemaining(storedCode.expiresAt);
  const isExpired = remainingMs === 0;
  return (
    <div className={styles.stack}>
      {!isExpired && <LocalServerNotice />}
      <Card padded={false}>
        {isExpired ? (
          <p className={styles.expired}>This code has expired. Generate a new one to enroll the host.</p>
        ) : (
          <EnrollCommands code={storedCode.code} isAgain={host.metadata.enrolledAt !== null} />
        )}
        <footer className={styles.footer}>
          <p className={styles.validity}>
            {isExpired ? (
              "Expired"
            ) : (
              <>
                Works once. Expires in <Countdown remainingMs={remainingMs} />
              </>
            )}
          </p>
          <Button
            variant={isExpired ? "primary" : "quiet"}
            size="small"
            pending={isCreating}
            onClick={createCode}
          >
            Generate a new code
          </Button>
        </footer>
      </Card>
      {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      {!isExpired && (
        <div role="status" className={styles.waiting}>
          <span className={styles.beacon} aria-hidden="true" />
          <p>
            Waiting for the {kindOf(host)}…{" "}
            <span className={styles.aside}>
              This page updates automatically. You can close it; the code stays valid.
            </span>
          </p>
        </div>
      )}
    </div>
  );
}
