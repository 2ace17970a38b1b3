import { planNames } from "../billing/billing-labels.ts";
import { config } from "../lib/config.ts";
import { useCurrentUser } from "../lib/current-user.ts";
import { Card } from "../ui/pages/card.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";

const loginLabels = { user: "by magic link", oidcUser: "with single sign-on" };

/** Shows what is sent along with the message. */
export function AccountContext() {
  const { data: person } = useCurrentUser();
  return (
    <Card title="Included with your message" padded={false}>
      {person ? (
        <KeyValueList>
          <KeyValue label="From">
            {person.actor.email}, {person.actor.role}, logged in {loginLabels[person.actorType]}
          </KeyValue>
          <KeyValue label="Organization">
            <bdi>{person.organization.name}</bdi>
          </KeyValue>
          <KeyValue label="Organization ID" mono>
            {person.organization.id}
          </KeyValue>
          <KeyValue label="Plan">{planNames[person.organization.plan]}</KeyValue>
          <KeyValue label="Version">{config.version}</KeyValue>
        </KeyValueList>
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Card>
  );
}
