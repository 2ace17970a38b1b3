import { deleteOrganization, updateOrganization } from "@lightkeeper/contract";
import type { Person } from "../lib/current-user.ts";
import { may } from "../lib/may.ts";
import { LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ActionCard, DangerCard } from "../ui/form-page.tsx";
import { LogoutIcon, TrashIcon } from "../ui/icons.tsx";
import { KeyValue, KeyValueList } from "../ui/key-value.tsx";
import { Time } from "../ui/time.tsx";
import { DELETE_PATH, LEAVE_PATH, RENAME_PATH } from "./billing-paths.ts";

/** Whose plan it is. */
export function OrganizationCards({ person }: { person: Person }) {
  const { id, name, createdAt } = person.organization;
  return (
    <>
      <Card
        title="Organization"
        padded={false}
        actions={
          may(person, updateOrganization) && (
            <LinkButton to={RENAME_PATH} size="small" preventScrollReset>
              Rename…
            </LinkButton>
          )
        }
      >
        <KeyValueList>
          <KeyValue label="Name" copy={name}>
            <bdi>{name}</bdi>
          </KeyValue>
          <KeyValue label="Organization ID" mono copy={id}>
            {id}
          </KeyValue>
          <KeyValue label="Created" copy={createdAt}>
            <Time at={createdAt} absolute />
          </KeyValue>
        </KeyValueList>
      </Card>
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
      {may(person, deleteOrganization) && (
        <DangerCard
          title="Delete this organization"
          action={
            <LinkButton to={DELETE_PATH} icon={<TrashIcon />} preventScrollReset>
              Delete organization…
            </LinkButton>
          }
        >
          Every network, host, key and member goes with it, for good. A paid plan has to be downgraded first.
        </DangerCard>
      )}
    </>
  );
}
