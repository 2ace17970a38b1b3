import { type NotificationDeliveryDetails, resendNotificationDelivery } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { CodeBlock } from "../ui/text/code.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import { deliveryStates } from "./notification-labels.ts";
import styles from "./notifications.module.css";
import { deliveryQuery } from "./notifications.queries.ts";

interface DeliveryDialogProps {
  deliveryID: string;
  onClose: () => void;
}

export function DeliveryDialog({ deliveryID, onClose }: DeliveryDialogProps) {
  const { data, error: loadError } = useQuery(deliveryQuery(deliveryID));
  const isReadOnly = useReadOnly();
  const { mutate, isPending, error } = useWrite(resendNotificationDelivery, {
    invalidates: ["notification-channels"],
    onSuccess: () => toast("Sending the message again", { tone: "ok" }),
    rules: [],
  });
  const problem = error ?? (data ? null : loadError);
  return (
    <Dialog
      open
      size="large"
      title={<bdi>{data?.title ?? "Delivery"}</bdi>}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          {!isReadOnly && (
            <Button variant="primary" pending={isPending} onClick={() => mutate({ params: { deliveryID } })}>
              Resend
            </Button>
          )}
        </>
      }
    >
      {problem && <Notice tone="danger">{messageOf(problem)}</Notice>}
      {data ? <Details delivery={data} /> : !problem && <Spinner delayed />}
    </Dialog>
  );
}

function Details({ delivery }: { delivery: NotificationDeliveryDetails }) {
  const { state, attempts, createdAt, nextAttemptAt, request, response } = delivery;
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={styles.stack}>
      <KeyValueList>
        <KeyValue label="State">
          <Status tone={deliveryStates[state].tone}>{deliveryStates[state].label}</Status>
        </KeyValue>
        <KeyValue label="Created">
          <Time at={createdAt} absolute />
        </KeyValue>
        <KeyValue label="Attempts">{attempts}</KeyValue>
        {nextAttemptAt !== null && (
          <KeyValue label="Next attempt">
            <Time at={nextAttemptAt} absolute />
          </KeyValue>
        )}
      </KeyValueList>
      {headers.length > 0 && <Block label="Request headers">{headers.join("\n")}</Block>}
      <Block label="Request body">{formatBody(request.body)}</Block>
      {response && (
        <>
          {response.error !== null && <Notice tone="danger">{response.error}</Notice>}
          <Block label={`Response${response.status === null ? "" : ` (${response.status})`}`}>
            {response.body || "(empty)"}
          </Block>
        </>
      )}
    </div>
  );
}

function Block({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <p className={styles.label}>{label}</p>
      <CodeBlock label={label}>{children}</CodeBlock>
    </div>
  );
}

/** Indents JSON; email and batches of lines stay as they are. */
function formatBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
