import { deleteNotificationChannel, type NotificationChannel } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";
import { toast } from "../ui/feedback/toast.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { allRulesQuery } from "./notifications.queries.ts";

interface DeleteChannelDialogProps {
  channel: NotificationChannel;
  onClose: () => void;
}

export function DeleteChannelDialog({ channel, onClose }: DeleteChannelDialogProps) {
  const navigate = useNavigate();
  const { data: rules = [] } = useQuery(allRulesQuery);
  const count = rules.filter(({ channelIDs }) => channelIDs.includes(channel.id)).length;
  const { mutate, isPending, error } = useWrite(deleteNotificationChannel, {
    invalidates: ["notification-rules"],
    onSuccess: async () => {
      toast(`Channel ${channel.name} deleted`, { tone: "ok" });
      await navigate(NOTIFICATIONS_PATH, { replace: true, ...nothingToLose });
    },
    rules: [],
  });
  const affected = count === 1 ? "1 rule stops" : `${count} rules stop`;
  return (
    <ConfirmDialog
      open
      danger
      title={`Delete channel ${channel.name}?`}
      consequence={`${count > 0 ? `${affected} notifying this channel. ` : ""}Messages that are waiting aren’t sent, and the delivery log is deleted. You can’t undo this.`}
      confirmLabel="Delete channel"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate({ params: { channelID: channel.id } })}
    />
  );
}
