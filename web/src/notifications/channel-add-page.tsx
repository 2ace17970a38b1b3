import { createNotificationChannel, type DataOf } from "@lightkeeper/contract";
import { useState } from "react";
import { useNavigate } from "react-router";
import { LeaveGuard, nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { notificationChannelPath } from "../references/notification-paths.ts";
import { Button } from "../ui/controls/button.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { type ChannelValues, toBody } from "./channel-values.ts";
import { NewSecret, leaveWithoutSecretTexts } from "./new-secret.tsx";
import { notificationCrumbs } from "./notification-labels.ts";
import styles from "./notifications.module.css";

type NewChannel = DataOf<typeof createNotificationChannel>;

export function ChannelAddPage() {
  usePageTitle("Add notification channel");
  const navigate = useNavigate();
  const [created, setCreated] = useState<NewChannel>();
  const { mutateAsync: create } = useWrite(createNotificationChannel);
  async function save(values: ChannelValues) {
    const channel = await create({ body: { type: values.type, ...toBody(values) } });
    if (channel.secret !== null) return setCreated(channel);
    toast(`Channel ${channel.name} added`, { tone: "ok" });
    await navigate(notificationChannelPath(channel.id), nothingToLose);
  }
  return (
    <AddPage
      crumbs={notificationCrumbs}
      title={created ? "Channel added" : "Add notification channel"}
      lead={created ? "Requests to this channel are signed." : "Choose where messages go."}
    >
      {created?.secret ? (
        <div className={styles.stack}>
          <NewSecret secret={created.secret} />
          <div className={styles.actions}>
            <Button
              variant="primary"
              autoFocus
              onClick={() => void navigate(notificationChannelPath(created.id), nothingToLose)}
            >
              I’ve saved it
            </Button>
          </div>
          <LeaveGuard isDirty {...leaveWithoutSecretTexts} />
        </div>
      ) : (
        <ChannelForm submitLabel="Add channel" save={save} />
      )}
    </AddPage>
  );
}
