import { deleteOrganization, updateOrganization } from "@lightkeeper/contract";
import { useOutlet } from "react-router";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { Loaded } from "../lib/loaded.tsx";
import { canCall } from "../lib/permissions.ts";
import { PageTitle } from "../lib/title.ts";
import { OrganizationTabs } from "../on-demand/organization-tabs.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { ActionCard, Cards, DangerCard } from "../ui/pages/form-page.tsx";
import { LogoutIcon, TrashIcon } from "../ui/base/icons.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList, TimeKeyValue } from "../ui/text/key-value.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { DELETE_PATH, LEAVE_PATH, RENAME_PATH } from "../references/settings-paths.ts";

const TITLE = "Organization";

/** Everyone in the organization can see the page; what they can change depends on their role. */
export function OrganizationPage() {
  // A dialog with its own URL sets its own title.
  const dialog = useOutlet();
  return (
    <>
      {!dialog && <PageTitle>{TITLE}</PageTitle>}
      <Loaded query={useCurrentUser()} title={TITLE} crumbs={[]}>
        {(person) => <OrganizationContent person={person} />}
      </Loaded>
      {dialog}
    </>
  );
}

function OrganizationContent({ person }: { person: Person }) {
  const canDelete = canCall(person, deleteOrganization);
  return (
    <PageContent kind="settings">
      <OrganizationTabs />
      <PageHeader title={TITLE} lead={leadFor(person)} />
      <Cards>
        <Details person={person} />
        <ActionCard
          title="Leave this organization"
          action={
            <LinkButton to={LEAVE_PATH} icon={<LogoutIcon />} preventScrollReset>
              Leave organization…
            </LinkButton>
          }
        >
          Ends your membership and logs you out everywhere. Networks, hosts and rules you created stay.
        </ActionCard>
        {canDelete && (
          <DangerCard
            title="Delete this organization"
            action={
              <LinkButton to={DELETE_PATH} icon={<TrashIcon />} preventScrollReset>
                Delete organization…
              </LinkButton>
            }
          >
            Permanently deletes all networks, hosts, keys and members. Downgrade a paid plan first.
          </DangerCard>
        )}
      </Cards>
    </PageContent>
  );
}

/** Explains who can do what this person can't. */
function leadFor(person: Person): string {
  const lead = "Your organization’s name and ID.";
  if (!canCall(person, updateOrganization))
    return `${lead} Only owners and administrators can rename the organization, and only owners can delete it.`;
  return canCall(person, deleteOrganization) ? lead : `${lead} Only owners can delete the organization.`;
}

function Details({ person }: { person: Person }) {
  const { id, name, createdAt } = person.organization;
  return (
    <Card
      title="Details"
      padded={false}
      actions={
        canCall(person, updateOrganization) && (
          <LinkButton to={RENAME_PATH} size="small" preventScrollReset>
            Rename…
          </LinkButton>
        )
      }
    >
      <KeyValueList>
        <KeyValue label="Name">
          <bdi>{name}</bdi>
        </KeyValue>
        <CopyableKeyValue label="Organization ID" value={id} />
        <TimeKeyValue label="Created" at={createdAt} />
      </KeyValueList>
    </Card>
  );
}
