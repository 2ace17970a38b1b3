import { listNotificationDeliveries, type NotificationDelivery } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../lib/list-page.ts";
import { read } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { Card } from "../ui/pages/card.tsx";
import { type Column, DataTable } from "../ui/tables/data-table.tsx";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Time } from "../ui/text/time.tsx";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import { deliveryStates, deliveryTypeLabels } from "./notification-labels.ts";
import styles from "./notifications.module.css";

const PAGE_SIZE = 10;

/** The delivery log of a channel, newest first. */
export function Deliveries({ channelID }: { channelID: string }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [openID, setOpenID] = useState<string>();
  const cursor = cursors.at(-1);
  const query = useQuery({
    ...read(listNotificationDeliveries, {
      params: { channelID },
      query: { pageSize: PAGE_SIZE, ...(cursor !== undefined && { cursor }) },
    }),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch, isFetching } = query;
  const next = data?.metadata.hasNextPage ? data.metadata.nextCursor : undefined;
  return (
    <Card title="Deliveries" padded={false}>
      <DataTable
        label="Deliveries"
        columns={columnsWith(setOpenID)}
        rows={data?.data}
        rowKey={({ id }) => id}
        skeletonRows={3}
        refreshing={isFetching && data !== undefined}
        failure={error && !data ? { ...failureOf(error), onRetry: () => void refetch() } : undefined}
        empty={
          <EmptyState title="No deliveries yet">
            Send a test message, or add a rule that notifies this channel. Deliveries are kept for 30 days.
          </EmptyState>
        }
      />
      <Pages
        onNewer={cursors.length > 0 ? () => setCursors(cursors.slice(0, -1)) : undefined}
        onOlder={next === undefined ? undefined : () => setCursors([...cursors, next])}
      />
      {openID !== undefined && <DeliveryDialog deliveryID={openID} onClose={() => setOpenID(undefined)} />}
    </Card>
  );
}

interface PagesProps {
  /** Undefined if there are none. */
  onNewer: (() => void) | undefined;
  onOlder: (() => void) | undefined;
}

function Pages({ onNewer, onOlder }: PagesProps) {
  if (!onNewer && !onOlder) return null;
  return (
    <div className={styles.pages}>
      <Button size="small" disabled={!onNewer} onClick={onNewer}>
        Newer
      </Button>
      <Button size="small" disabled={!onOlder} onClick={onOlder}>
        Older
      </Button>
    </div>
  );
}

const columnsWith = (open: (id: string) => void): readonly Column<NotificationDelivery>[] => [
  {
    id: "message",
    header: "Message",
    cell: ({ id, title, type }) => (
      <NameCell description={deliveryTypeLabels[type]}>
        <button type="button" className={styles.open} onClick={() => open(id)}>
          <bdi>{title}</bdi>
        </button>
      </NameCell>
    ),
  },
  {
    id: "state",
    header: "State",
    width: 150,
    cell: ({ state, status }) => (
      <Status tone={deliveryStates[state].tone}>
        {deliveryStates[state].label}
        {status !== null && ` (${status})`}
      </Status>
    ),
  },
  { id: "time", header: "Time", width: 140, cell: ({ createdAt }) => <Time at={createdAt} past /> },
];
