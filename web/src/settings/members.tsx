import { inviteMember, type Member } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCurrentUser } from "../lib/current-user.ts";
import { useListPage } from "../lib/list-page.ts";
import { useListState } from "../lib/list-state.ts";
import { may } from "../lib/may.ts";
import { queryClient } from "../lib/query.ts";
import { LinkButton } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { memberColumns } from "./member-columns.tsx";
import { LEAVE_PATH, MEMBER_INVITE_PATH } from "./settings-paths.ts";
import { SettingsSection } from "./settings-section.tsx";
import { membersPageQuery } from "./settings.queries.ts";

export function Members() {
  const { data: person } = useCurrentUser();
  const state = useListState();
  const query = useQuery({ ...membersPageQuery(state.query), placeholderData: keepPreviousData });
  const { total, ...table } = useListPage<Member>(
    query,
    state,
    (cursor) => void queryClient.prefetchQuery(membersPageQuery({ ...state.query, cursor })),
  );
  const mayChange = person !== undefined && may(person, inviteMember);
  return (
    <SettingsSection
      title="Members"
      count={total}
      lead={
        person && !mayChange
          ? "Who is in your organization. Only an owner invites people, changes their roles or removes them."
          : "Who is in your organization, and what they may do."
      }
      actions={
        <>
          <LinkButton to={LEAVE_PATH} preventScrollReset>
            Leave organization…
          </LinkButton>
          {mayChange && (
            <LinkButton to={MEMBER_INVITE_PATH} preventScrollReset icon={<PlusIcon />}>
              Invite member
            </LinkButton>
          )}
        </>
      }
    >
      <DataTable
        {...table}
        {...(typeof total === "number" && total <= state.pageSize && { pagination: undefined })}
        label="Members"
        columns={memberColumns({ me: person?.actor.id, mayChange })}
        rowKey={({ id }) => id}
        skeletonRows={3}
        empty={<EmptyState title="No members" />}
      />
    </SettingsSection>
  );
}
