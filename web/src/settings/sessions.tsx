import { NotFoundError, revokeSession, type Session } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { failureOf } from "../lib/list-page.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Time } from "../ui/time.tsx";
import { toast } from "../ui/toast.ts";
import { browserWords } from "./browser-words.ts";
import { SettingsSection } from "./settings-section.tsx";
import styles from "./settings.module.css";
import { sessionsQuery } from "./settings.queries.ts";

const RevokeOthersDialog = lazy(() => import("./revoke-others-dialog.tsx"));

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
        <span className={styles.name}>{browserWords(userAgent)}</span>
        {isCurrent && <Chip>This one</Chip>}
      </span>
    ),
  },
  {
    id: "address",
    header: "Address",
    cell: ({ address }) => (address ? <code>{address}</code> : "Unknown"),
  },
  { id: "used", header: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  { id: "begun", header: "Logged in", hideBelow: "narrow", cell: ({ createdAt }) => <Time at={createdAt} /> },
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
          aria-label={`Log out ${browserWords(session.userAgent)}`}
          onClick={() => onRevoke(session)}
        >
          Log out
        </Button>
      ),
  },
];

/** Where the person is logged in, this browser included, and how to end that. */
export function Sessions() {
  const { data, error, isFetching, refetch } = useQuery(sessionsQuery);
  const [isRevokingOthers, setRevokingOthers] = useState(false);
  const revoke = useWrite(revokeSession, {
    onSuccess: () => void toast("Logged out there", { tone: "ok" }),
    onError: (failure) => {
      if (failure instanceof NotFoundError) void refetch();
      else toast(failure.message, { tone: "danger" });
    },
  });
  const others = data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <SettingsSection
      title="Sessions"
      count={data?.length}
      lead="Where you are logged in. What you do not recognise, log out; it ends there at once."
      actions={
        others.length > 0 && <Button onClick={() => setRevokingOthers(true)}>Log out everywhere else…</Button>
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
        {isRevokingOthers && (
          <RevokeOthersDialog sessions={others} onClose={() => setRevokingOthers(false)} />
        )}
      </Suspense>
    </SettingsSection>
  );
}
