import type { Member } from "@lightkeeper/contract";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { Chip } from "../ui/text/chip.tsx";
import type { Column } from "../ui/tables/data-table.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { Status } from "../ui/feedback/status.tsx";
import { Time, useNow } from "../ui/text/time.tsx";
import { MemberMenu } from "./member-menu.tsx";
import { memberStateLabels } from "./member-state-labels.ts";
import styles from "./settings.module.css";

interface MemberColumnsOptions {
  /** The ID of the current user. */
  me: string | undefined;
  canChange: boolean;
}

export function memberColumns({ me, canChange }: MemberColumnsOptions): Column<Member>[] {
  const columns: Column<Member>[] = [
    {
      id: "email",
      header: "Email address",
      width: "40%",
      cell: ({ id, email }) => (
        <span className={styles.browser}>
          <bdi className={styles.name}>{email}</bdi>
          {id === me && <Chip>You</Chip>}
        </span>
      ),
    },
    {
      id: "role",
      header: "Role",
      cell: ({ role }) => (
        <span title={memberRoleLabels[role].description}>{memberRoleLabels[role].label}</span>
      ),
    },
    { id: "state", header: "State", cell: (member) => <State member={member} /> },
    { id: "since", header: "Since", hideBelow: "small", cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  if (!canChange) return columns;
  return [...columns, menuColumn((member) => <MemberMenu member={member} isMe={member.id === me} />)];
}

function State({ member: { kind, expiresAt, invitedBy, removedAt } }: { member: Member }) {
  const now = useNow();
  if (removedAt !== null)
    return (
      <span className={styles.stack}>
        <Status tone="off">Removed</Status>
        <span className={styles.second}>
          <Time at={removedAt} />
        </span>
      </span>
    );
  if (expiresAt === null) return <Status tone="ok">{memberStateLabels[kind]}</Status>;
  if (new Date(expiresAt).getTime() <= now) return <Status tone="off">Invitation expired</Status>;
  return (
    <span className={styles.stack}>
      <Status tone="new">{memberStateLabels[kind]}</Status>
      <span className={styles.second}>
        {invitedBy && (
          <>
            by <bdi>{invitedBy}</bdi>,{" "}
          </>
        )}
        expires <Time at={expiresAt} />
      </span>
    </span>
  );
}
