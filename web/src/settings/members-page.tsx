import { inviteMember, type Member } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useOutlet } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { useListPage } from "../lib/list-page.ts";
import { useListState } from "../lib/list-state.ts";
import { canCall } from "../lib/permissions.ts";
import { queryClient } from "../lib/query.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { PageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { DataTable } from "../ui/tables/data-table.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { memberColumns } from "./member-columns.tsx";
import { MEMBER_INVITE_PATH } from "../references/settings-paths.ts";
import { membersPageQuery } from "./settings.queries.ts";

/** Everyone in the organization can see the list; only owners can change it. */
export function MembersPage() {
  const { data: person } = useCurrentUser();
  const canChange = person !== undefined && canCall(person, inviteMember);
  const state = useListState();
  const query = useQuery({ ...membersPageQuery(state.query), placeholderData: keepPreviousData });
  const { total, ...table } = useListPage<Member>(
    query,
    state,
    (cursor) => void queryClient.prefetchQuery(membersPageQuery({ ...state.query, cursor })),
  );
  // A dialog with its own URL sets its own title.
  const dialog = useOutlet();
  return (
    <PageContent kind="list">
      {!dialog && <PageTitle>Members</PageTitle>}
      <PageHeader
        title="Members"
        count={total}
        lead={
          person && !canChange
            ? "The people in this organization and their roles. Only owners can invite people, change roles and remove members."
            : "The people in this organization and their roles."
        }
        actions={
          canChange && (
            <LinkButton to={MEMBER_INVITE_PATH} variant="primary" preventScrollReset icon={<PlusIcon />}>
              Invite member
            </LinkButton>
          )
        }
      />
      <DataTable
        {...table}
        label="Members"
        columns={memberColumns({ me: person?.actor.id, canChange })}
        rowKey={({ id }) => id}
        skeletonRows={3}
        empty={<EmptyState title="No members" />}
      />
      {dialog}
      {canChange && <InviteShortcut />}
    </PageContent>
  );
}

function InviteShortcut() {
  const navigate = useNavigate();
  const invite = () => void navigate(MEMBER_INVITE_PATH, { preventScrollReset: true });
  useShortcut("c", "Invite a member", invite, "Lists");
  return null;
}
