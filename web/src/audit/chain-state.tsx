import { verifyAuditLogs } from "@lightkeeper/contract";
import { useMutation } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { useCurrentUser } from "../lib/current-user.ts";
import { handleShownError, messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { stored, useStored } from "../lib/stored.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { Time } from "../ui/text/time.tsx";
import styles from "./audit.module.css";

interface Verification {
  organizationID: string;
  at: string;
  entries: number;
  /** The first invalid entry, if there is one. */
  firstBroken: string | null;
}

const isVerification = (json: unknown): json is Verification =>
  typeof json === "object" &&
  json !== null &&
  "organizationID" in json &&
  "firstBroken" in json &&
  "at" in json &&
  typeof json.at === "string" &&
  "entries" in json &&
  typeof json.entries === "number";

/** The last result in this browser. */
const lastVerification = stored<Verification | null>("auditVerification", null, (json) =>
  isVerification(json) ? json : undefined,
);

async function verify(organizationID: string): Promise<Verification> {
  const response = await api(verifyAuditLogs);
  const result = response.ok
    ? { entries: response.entries, firstBroken: null }
    : { entries: 0, firstBroken: response.firstBroken };
  return { organizationID, at: new Date().toISOString(), ...result };
}

/** The last known result of verifying the hash chain, and a button to verify it again. */
export function ChainState() {
  const { data: person } = useCurrentUser();
  const [last, setLast] = useStored(lastVerification);
  const { mutate, isPending, error } = useMutation({
    mutationFn: verify,
    onSuccess: (verification) => setLast(verification),
    onError: (error) => handleShownError(error),
  });
  const organizationID = person?.organization.id;
  const known = last?.organizationID === organizationID ? last : null;
  const action = (
    <Button
      size="small"
      variant="quiet"
      pending={isPending}
      onClick={() => organizationID !== undefined && mutate(organizationID)}
    >
      {isPending ? "Verifying…" : known ? "Verify again" : "Verify"}
    </Button>
  );
  if (known && known.firstBroken !== null)
    return (
      <Notice tone="danger" actions={action}>
        The log was tampered with. First invalid entry:{" "}
        <code className={styles.code}>{known.firstBroken}</code>. Verified <Time at={known.at} />.
      </Notice>
    );
  return (
    <p className={styles.chain}>
      {known ? (
        <>
          <Status tone="ok">Verified</Status>
          <span>
            {formatCount(known.entries, "entry", "entries")}, checked <Time at={known.at} />
          </span>
        </>
      ) : (
        <Status tone="off">Not verified</Status>
      )}
      {action}
      {error && <span className={styles.failed}>{messageOf(error)}</span>}
    </p>
  );
}
