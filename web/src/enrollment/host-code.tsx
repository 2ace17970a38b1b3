import type { HostV2 } from "@lightkeeper/contract";
import { kindOf } from "../references/host-link.tsx";
import { messageOf } from "../lib/errors.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Countdown, useRemaining } from "../ui/feedback/countdown.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { EnrollCommands } from "./enroll-commands.tsx";
import styles from "./enrollment.module.css";
import type { KeptCode } from "./kept-codes.ts";
import type { Enrollment } from "./use-enrollment.ts";

interface HostCodeProps {
  host: HostV2;
  enrollment: Enrollment;
}

/** A code and what to do with it; before there is one, whatever stands in its way. */
export function HostCode({ host, enrollment }: HostCodeProps) {
  const { kept, make, isMaking, error } = enrollment;
  if (kept) return <ShownCode key={kept.code} host={host} kept={kept} enrollment={enrollment} />;
  if (host.metadata.enrolledAt === null && !error) {
    return (
      <Card>
        <Spinner delayed label="Making a code" />
      </Card>
    );
  }
  return (
    <Card>
      <div className={styles.stack}>
        {host.metadata.enrolledAt !== null && (
          <Notice tone="warn">
            This {kindOf(host)} has enrolled before. The code alone changes nothing; as soon as it is used,
            the keys it has now stop working, and so does any copy of them.
          </Notice>
        )}
        {error && <Notice tone="danger">{messageOf(error)}</Notice>}
        <div className={styles.actions}>
          <Button variant="primary" pending={isMaking} onClick={make}>
            Make an enrollment code
          </Button>
        </div>
      </div>
    </Card>
  );
}

interface ShownCodeProps extends HostCodeProps {
  kept: KeptCode;
}

function ShownCode({ host, kept, enrollment: { make, isMaking, error } }: ShownCodeProps) {
  const remainingMs = useRemaining(kept.expiresAt);
  const isOver = remainingMs === 0;
  return (
    <div className={styles.stack}>
      <Card padded={false}>
        {isOver ? (
          <p className={styles.over}>This code has expired. Make a new one to enroll the host.</p>
        ) : (
          <EnrollCommands code={kept.code} isAgain={host.metadata.enrolledAt !== null} />
        )}
        <footer className={styles.footer}>
          <p className={styles.validity}>
            {isOver ? (
              "Expired"
            ) : (
              <>
                Works once, for <Countdown remainingMs={remainingMs} />
              </>
            )}
          </p>
          <Button variant={isOver ? "primary" : "quiet"} size="small" pending={isMaking} onClick={make}>
            Make a new code
          </Button>
        </footer>
      </Card>
      {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      {!isOver && (
        <div role="status" className={styles.waiting}>
          <span className={styles.beacon} aria-hidden="true" />
          <p>
            Waiting for the {kindOf(host)}…{" "}
            <span className={styles.aside}>This page goes on by itself. You may leave it.</span>
          </p>
        </div>
      )}
    </div>
  );
}
