import { config } from "../lib/config.ts";
import { useCurrentUser } from "../lib/current-user.ts";
import { Card } from "../ui/pages/card.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";

const typeWords = { user: "by magic link", oidcUser: "by single sign-on" };
const planWords = { free: "Free", pro: "Pro", selfHosted: "Self-hosted" };

/** Everything that goes with the message, before it goes. */
export function AccountContext() {
  const { data: person } = useCurrentUser();
  return (
    <Card title="Sent with it" padded={false}>
      {person ? (
        <KeyValueList>
          <KeyValue label="From">
            {person.actor.email}, {person.actor.role}, logged in {typeWords[person.actorType]}
          </KeyValue>
          <KeyValue label="Organization">
            <bdi>{person.organization.name}</bdi>
          </KeyValue>
          <KeyValue label="Organization ID" mono>
            {person.organization.id}
          </KeyValue>
          <KeyValue label="Plan">{planWords[person.organization.plan]}</KeyValue>
          <KeyValue label="Version">{config.version}</KeyValue>
        </KeyValueList>
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Card>
  );
}
