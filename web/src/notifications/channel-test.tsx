import { type NotificationChannel, testNotificationChannel } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Card } from "../ui/pages/card.tsx";
import styles from "./notifications.module.css";
import { deliveryQuery } from "./notifications.queries.ts";

const POLL_MS = 1000;

/** Sends a real message and shows what became of it. */
export function ChannelTest({ channel }: { channel: NotificationChannel }) {
  const [deliveryID, setDeliveryID] = useState<string>();
  const { mutate, isPending, error } = useWrite(testNotificationChannel, {
    invalidates: ["notification-channels"],
    onSuccess: ({ id }) => setDeliveryID(id),
    rules: [],
  });
  if (useReadOnly()) return null;
  return (
    <Card title="Test">
      <div className={styles.stack}>
        <p>Send a test message to check that this channel works.</p>
        <div aria-live="polite" className={styles.stack}>
          {error && <Notice tone="danger">{messageOf(error)}</Notice>}
          {deliveryID !== undefined && !error && (
            <TestResult key={deliveryID} deliveryID={deliveryID} channel={channel} />
          )}
        </div>
        <div className={styles.actions}>
          <Button pending={isPending} onClick={() => mutate({ params: { channelID: channel.id } })}>
            Send test message
          </Button>
        </div>
      </div>
    </Card>
  );
}

function TestResult({ deliveryID, channel }: { deliveryID: string; channel: NotificationChannel }) {
  const { data } = useQuery({
    ...deliveryQuery(deliveryID),
    refetchInterval: ({ state }) => (state.data?.state === "PENDING" ? POLL_MS : false),
  });
  if (!channel.isEnabled)
    return <Notice tone="warn">This channel is disabled. The message is sent when you enable it.</Notice>;
  if (data?.state === "DELIVERED")
    return (
      <Notice tone="ok">
        {channel.type === "EMAIL"
          ? "Sent. Check the mailbox of each recipient."
          : `Delivered. The receiver responded with status ${data.status ?? ""}.`}
      </Notice>
    );
  if (data?.response?.error)
    return (
      <Notice tone="danger">
        {data.response.error} {data.nextAttemptAt !== null && "The server tries again automatically."}
      </Notice>
    );
  return <Notice tone="info">Sending…</Notice>;
}
