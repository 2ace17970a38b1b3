import type { Invitation } from "@lightkeeper/contract";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { Card } from "../ui/pages/card.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Time } from "../ui/text/time.tsx";
import styles from "./auth.module.css";

/** Falls back to the organization for invitations from before inviters were recorded. */
export const inviterOf = ({ invitedBy, organizationName }: Invitation): string =>
  invitedBy ?? organizationName;

/** What people should know before they accept. */
export function InvitationDetails({ invitation }: { invitation: Invitation }) {
  const { organizationName, invitedBy, role, expiresAt } = invitation;
  return (
    <Card padded={false}>
      <KeyValueList>
        <KeyValue label="Organization">
          <bdi>{organizationName}</bdi>
        </KeyValue>
        <KeyValue label="Invited by">{invitedBy ? <bdi>{invitedBy}</bdi> : "Not recorded"}</KeyValue>
        <KeyValue label="Your role">
          {memberRoleLabels[role].label}
          <span className={styles.description}>{memberRoleLabels[role].description}</span>
        </KeyValue>
        <KeyValue label="Expires">
          <Time at={expiresAt} absolute />
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}
