import { lazy, Suspense } from "react";
import { useOutlet } from "react-router";
import { PageTitle } from "../lib/title.ts";
import { useIsCovered } from "../lib/use-is-covered.ts";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Authenticators } from "./authenticators.tsx";
import { InvitationNotice } from "./invitation-notice.tsx";
import { Sessions } from "./sessions.tsx";
import styles from "./settings.module.css";

const RecoveryCodesSection = lazy(async () => ({
  default: (await import("./recovery-codes-section.tsx")).RecoveryCodesSection,
}));

export function UserSettingsPage() {
  // A dialog with its own URL sets its own title.
  const dialog = useOutlet();
  const isCovered = useIsCovered(dialog !== null);
  return (
    <PageContent kind="settings">
      {!dialog && <PageTitle>User settings</PageTitle>}
      <PageHeader title="User settings" lead="Your authenticators, recovery codes and sessions." />
      <div className={styles.page}>
        <InvitationNotice />
        <Authenticators />
        <Suspense>{!isCovered && <RecoveryCodesSection />}</Suspense>
        <Sessions />
      </div>
      {dialog}
    </PageContent>
  );
}
