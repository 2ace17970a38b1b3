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
          While this host is blocked, other hosts reject its connections. It can’t get updates, renew its
          certificate or enroll.
        </Notice>
        <p>
          Unblocking <bdi className={styles.name}>{host.name}</bdi> doesn’t restore its old keys. Enroll the
          host with the new code to reconnect it.
        </p>
        {error && <Notice tone="danger">{messageOf(error)}</Notice>}
        <div className={styles.actions}>
          {verb === "unblock" ? (
            <Button
              variant="primary"
              pending={isPending}
              onClick={() => mutate({ params: { hostID: host.id } })}
            >
              Unblock and create code
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
