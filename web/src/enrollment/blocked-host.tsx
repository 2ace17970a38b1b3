import { unblockHostV2, type HostV2 } from "@lightkeeper/contract";
import { hostPath } from "../references/host-link.tsx";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { toast } from "../ui/feedback/toast.ts";
import styles from "./enrollment.module.css";

interface BlockedHostProps {
  host: HostV2;
  verb: "enroll" | "unblock";
  onUnblocked: () => void;
}

export function BlockedHost({ host, verb, onUnblocked }: BlockedHostProps) {
  const { mutate, isPending, error } = useWrite(unblockHostV2, {
    onSuccess: ({ name }) => {
      toast(`${name} is unblocked`, { tone: "ok" });
      onUnblocked();
    },
    rules: [],
  });
  return (
    <Card>
      <div className={styles.stack}>
        <Notice tone="warn">
          While it is blocked, every host of its network refuses it, and it can neither poll, renew nor
          enroll.
        </Notice>
        <p>
          Unblocking <bdi className={styles.name}>{host.name}</bdi> does not bring its old keys back: they
          stay revoked. It gets a new code here, and is back once it has enrolled with it.
        </p>
        {error && <Notice tone="danger">{messageOf(error)}</Notice>}
        <div className={styles.actions}>
          {verb === "unblock" ? (
            <Button
              variant="primary"
              pending={isPending}
              onClick={() => mutate({ params: { hostID: host.id } })}
            >
              Unblock and make a code
            </Button>
          ) : (
            <LinkButton variant="primary" to={`${hostPath(host)}/unblock`}>
              Unblock…
            </LinkButton>
          )}
          <LinkButton variant="quiet" to={hostPath(host)}>
            Cancel
          </LinkButton>
        </div>
      </div>
    </Card>
  );
}
