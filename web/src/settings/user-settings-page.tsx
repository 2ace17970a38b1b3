import { useOutlet } from "react-router";
import { PageTitle } from "../lib/title.ts";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Authenticators } from "./authenticators.tsx";
import { InvitationNotice } from "./invitation-notice.tsx";
import { RecoveryCodesSection } from "./recovery-codes-section.tsx";
import { Sessions } from "./sessions.tsx";
import styles from "./settings.module.css";

export function UserSettingsPage() {
  // A dialog with its own URL sets its own title.
  const dialog = useOutlet();
  return (
    <PageContent kind="settings">
      {!dialog && <PageTitle>User settings</PageTitle>}
      <PageHeader title="User settings" lead="Your authenticators, recovery codes and sessions." />
      <div className={styles.page}>
        <InvitationNotice />
        <Authenticators />
        <RecoveryCodesSection />
        <Sessions />
      </div>
      {dialog}
    </PageContent>
  );
}
