import {
  FEW_RECOVERY_CODES,
  RECOVERY_CODES,
  type DataOf,
  type getRecoveryCodes,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { failureOf } from "../lib/list-page.ts";
import { RECOVERY_CODES_PATH } from "../references/settings-paths.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Time } from "../ui/text/time.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { recoveryCodesQuery } from "./recovery-codes.queries.ts";

export function RecoveryCodesSection() {
  const { data, error, refetch } = useQuery(recoveryCodesQuery);
  return (
    <SettingsSection
      title="Recovery codes"
      count={data?.createdAt ? `${data.unusedCount} of ${RECOVERY_CODES} unused` : undefined}
      lead="Used to log in if you lose your authenticator. Each code works once."
      actions={
        <LinkButton to={RECOVERY_CODES_PATH} preventScrollReset>
          Generate new recovery codes
        </LinkButton>
      }
    >
      {data && <CodesState {...data} />}
      {error && (
        <ErrorState
          title="Couldn’t load the recovery codes"
          {...failureOf(error)}
          onRetry={() => void refetch()}
        />
      )}
    </SettingsSection>
  );
}

function CodesState({ unusedCount, createdAt }: DataOf<typeof getRecoveryCodes>) {
  if (createdAt === null)
    return (
      <Notice tone="warn">
        You have no recovery codes. Generate them, so that you can log in if you lose your authenticator.
      </Notice>
    );
  if (unusedCount <= FEW_RECOVERY_CODES)
    return <Notice tone="warn">{describeRemaining(unusedCount)} Generate new ones.</Notice>;
  return (
    <p>
      Generated <Time at={createdAt} past />.
    </p>
  );
}

function describeRemaining(unusedCount: number): string {
  if (unusedCount === 0) return "All recovery codes have been used.";
  return `Only ${unusedCount} unused recovery ${unusedCount === 1 ? "code is" : "codes are"} left.`;
}
