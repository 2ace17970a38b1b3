import { describeBrowser, NotFoundError, revokeSession, type Session } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { failureOf } from "../lib/list-page.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { Chip } from "../ui/text/chip.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Time } from "../ui/text/time.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { SettingsSection } from "./settings-section.tsx";
import styles from "./settings.module.css";
import { sessionsQuery } from "./settings.queries.ts";

const RevokeOthersDialog = lazy(() => import("./revoke-others-dialog.tsx"));
const LogOutEverywhereDialog = lazy(() => import("./log-out-everywhere-dialog.tsx"));

interface ColumnsOptions {
  revoking: string | undefined;
  onRevoke: (session: Session) => void;
}

const columnsOf = ({ revoking, onRevoke }: ColumnsOptions): Column<Session>[] => [
  {
    id: "browser",
    header: "Browser",
    width: "36%",
    cell: ({ userAgent, isCurrent }) => (
      <span className={styles.browser} title={userAgent ?? undefined}>
        <span className={styles.name}>{describeBrowser(userAgent)}</span>
        {isCurrent && <Chip>This browser</Chip>}
      </span>
    ),
  },
  {
    id: "address",
    header: "IP address",
    cell: ({ address }) => (address ? <code>{address}</code> : "Unknown"),
  },
  { id: "used", header: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} past /> },
  {
    id: "created",
    header: "Logged in",
    hideBelow: "narrow",
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: "revoke",
    header: "Actions",
    hideHeader: true,
    align: "end",
    width: 110,
    cell: (session) =>
      !session.isCurrent && (
        <Button
          size="small"
          pending={revoking === session.id}
          aria-label={`Log out ${describeBrowser(session.userAgent)}`}
          onClick={() => onRevoke(session)}
        >
          Log out
        </Button>
      ),
  },
];

/** The person's sessions, including the one of this browser. */
export function Sessions() {
  const { data, error, isFetching, refetch } = useQuery(sessionsQuery);
  const [dialog, setDialog] = useState<"others" | "everywhere">();
  const closeDialog = () => setDialog(undefined);
  const revoke = useWrite(revokeSession, {
    onSuccess: () => void toast("Session logged out", { tone: "ok" }),
    onError: (failure) => {
      if (failure instanceof NotFoundError) void refetch();
      else toast(messageOf(failure), { tone: "danger" });
    },
  });
  const others = data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <SettingsSection
      title="Sessions"
      count={data?.length}
      lead="Devices where you’re logged in. Log out any you don’t recognize."
      actions={
        <>
          {others.length > 0 && <Button onClick={() => setDialog("others")}>Log out everywhere else…</Button>}
          <Button onClick={() => setDialog("everywhere")}>Log out everywhere…</Button>
        </>
      }
    >
      <DataTable
        label="Sessions"
        columns={columnsOf({
          revoking: revoke.isPending ? revoke.variables?.params.sessionID : undefined,
          onRevoke: ({ id }) => revoke.mutate({ params: { sessionID: id } }),
        })}
        rows={data}
        rowKey={({ id }) => id}
        refreshing={isFetching}
        failure={error ? { ...failureOf(error), onRetry: () => void refetch() } : undefined}
        skeletonRows={2}
        empty={<EmptyState title="No sessions" />}
      />
      <Suspense>
        {dialog === "others" && <RevokeOthersDialog sessions={others} onClose={closeDialog} />}
        {dialog === "everywhere" && <LogOutEverywhereDialog onClose={closeDialog} />}
      </Suspense>
    </SettingsSection>
  );
}
