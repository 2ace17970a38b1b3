import { leaveOrganization } from "@lightkeeper/contract";
import { type Person, useCurrentUser } from "../lib/current-user.ts";
import { messageOf } from "../lib/errors.ts";
import { canWrite } from "../lib/permissions.ts";
import { lastOwner } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { signOut } from "../lib/session.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { CreatedKeysChoice, useCreatedKeys } from "./created-keys.tsx";
import { ORGANIZATION_PATH } from "../references/settings-paths.ts";

export function LeaveDialog() {
  const { data: person } = useCurrentUser();
  return person ? <LeaveOrganization person={person} /> : null;
}

const consequences: Record<Person["actorType"], string> = {
  user: "You’re logged out everywhere immediately, and your account and its authenticators are deleted. You need a new invitation to rejoin.",
  oidcUser:
    "You’re logged out everywhere immediately. You can rejoin with single sign-on as long as your identity provider allows it.",
};

function LeaveOrganization({ person }: { person: Person }) {
  const { name } = person.organization;
  usePageTitle("Leave organization");
  const close = useCloseDialog(ORGANIZATION_PATH);
  const renew = useRenewal();
  const canRevoke = canWrite(person);
  const created = useCreatedKeys(person.actor.id, { canRevoke });
  const { mutate, isPending, error } = useWrite(leaveOrganization, {
    onSuccess: () => signOut("/left-organization"),
    rules: [lastOwner],
    onError: renew,
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Leave ${name}?`}
      consequence={`${consequences[person.actorType]} Networks, hosts and rules you created stay in ${name}.`}
      confirmLabel="Leave organization"
      loading={created.isLoading}
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ query: { revokeAPIKeys: created.isRevoking } })}
    >
      <CreatedKeysChoice
        {...created}
        title="API keys you created"
        hint={
          canRevoke
            ? undefined
            : "These keys continue to work. Only owners and administrators can revoke them."
        }
      />
    </ConfirmDialog>
  );
}
