import { isSigned, type NotificationChannel, updateNotificationChannel } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { RefreshIcon, TrashIcon } from "../ui/base/icons.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { Breadcrumb } from "../ui/pages/breadcrumb.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Cards, DangerCard, FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelTest } from "./channel-test.tsx";
import { type ChannelValues, toBody, toValues } from "./channel-values.ts";
import { DeleteChannelDialog } from "./delete-channel-dialog.tsx";
import { Deliveries } from "./deliveries.tsx";
import { channelState, channelTypes, notificationCrumbs } from "./notification-labels.ts";
import { channelQuery } from "./notifications.queries.ts";
import { RotateSecretDialog } from "./rotate-secret-dialog.tsx";

export function ChannelPage() {
  const { channelID = "" } = useParams();
  const query = useQuery(channelQuery(channelID));
  usePageTitle(query.data?.name ?? "Notification channel");
  return (
    <Loaded query={query} title="Notification channel" crumbs={notificationCrumbs}>
      {(channel) => <Channel key={channel.id} channel={channel} />}
    </Loaded>
  );
}

function Channel({ channel }: { channel: NotificationChannel }) {
  const [dialog, setDialog] = useState<"rotate" | "delete">();
  const isReadOnly = useReadOnly();
  const { tone, label } = channelState(channel);
  const close = () => setDialog(undefined);
  return (
    <FormPage>
      <PageHeader
        breadcrumb={<Breadcrumb crumbs={notificationCrumbs} />}
        title={<bdi>{channel.name}</bdi>}
        aside={<Status tone={tone}>{label}</Status>}
        lead={channelTypes[channel.type].description}
        actions={
          isSigned(channel.type) &&
          !isReadOnly && (
            <Button icon={<RefreshIcon />} onClick={() => setDialog("rotate")}>
              Rotate secret…
            </Button>
          )
        }
      />
      <Cards>
        {channel.failingSince !== null && (
          <Notice tone="danger">
            Messages have not been delivered since <Time at={channel.failingSince} absolute />. See the
            deliveries below for the responses.
          </Notice>
        )}
        <ChannelTest channel={channel} />
        <Deliveries channelID={channel.id} />
        <Card title="Settings">
          <EditChannel channel={channel} />
        </Card>
        <Details channel={channel} />
        <DangerCard
          title="Delete this channel"
          action={
            <Button icon={<TrashIcon />} onClick={() => setDialog("delete")}>
              Delete channel…
            </Button>
          }
        >
          Rules stop notifying this channel, and its delivery log is deleted.
        </DangerCard>
      </Cards>
      {dialog === "rotate" && <RotateSecretDialog channel={channel} onClose={close} />}
      {dialog === "delete" && <DeleteChannelDialog channel={channel} onClose={close} />}
    </FormPage>
  );
}

function EditChannel({ channel }: { channel: NotificationChannel }) {
  const { mutateAsync: update } = useWrite(updateNotificationChannel);
  // After a save, the form starts again with the saved values.
  const [savedCount, setSavedCount] = useState(0);
  const latest = toValues(channel);
  async function save(values: ChannelValues) {
    const { name } = await update({ params: { channelID: channel.id }, body: toBody(values) });
    toast(`Channel ${name} saved`, { tone: "ok" });
    setSavedCount((count) => count + 1);
  }
  return <ChannelForm key={savedCount} initial={latest} latest={latest} submitLabel="Save" save={save} />;
}

function Details({ channel }: { channel: NotificationChannel }) {
  const { id, type, auditCursor, previousSecretExpiresAt, createdAt } = channel;
  return (
    <Card title="Details" padded={false}>
      <KeyValueList>
        <KeyValue label="Type">{channelTypes[type].label}</KeyValue>
        {auditCursor !== null && (
          <KeyValue label="Last acknowledged entry">{auditCursor.toLocaleString("en")}</KeyValue>
        )}
        {previousSecretExpiresAt && (
          <KeyValue label="Previous secret">
            Also signs until <Time at={previousSecretExpiresAt} absolute />
          </KeyValue>
        )}
        <CopyableKeyValue label="Channel ID" value={id} />
        <TimeKeyValue label="Created" at={createdAt} />
      </KeyValueList>
    </Card>
  );
}
