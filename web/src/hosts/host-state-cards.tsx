/** Cards that compare what a host should run with what its agent reports. */
import type { HostState, HostV2 } from "@lightkeeper/contract";
import { Link } from "react-router";
import { Card } from "../ui/pages/card.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { Time } from "../ui/text/time.tsx";
import { hostPath } from "../references/host-link.tsx";
import styles from "./host-page.module.css";
import { NotReported } from "./not-reported.tsx";
import { describeOmission, describeWiderRule } from "./omission-labels.ts";

const HASH_SHOWN = 12;
/** Other agents don’t report what they run. */
const REPORTING_AGENT = "lightkeeper-agent";

/** Whether the host runs its expected configuration. */
export function SyncStatus({ host, state }: { host: HostV2; state: HostState }) {
  if (host.isBlocked) return <Status tone="bad">Blocked: gets no configuration</Status>;
  if (host.metadata.statuses.includes("neverEnrolled"))
    return <Status tone="new">Waiting for enrollment</Status>;
  if (state.error !== null) return <Status tone="bad">Failed to apply configuration</Status>;
  if (state.runningHash === null)
    return host.metadata.agent?.name === REPORTING_AGENT ? (
      <Status tone="new">Waiting for first report</Status>
    ) : (
      <Status tone="off">Unknown (agent hasn’t reported)</Status>
    );
  if (state.isDrifted) return <Status tone="warn">Out of sync</Status>;
  if (state.runningHash !== state.intendedHash) return <Status tone="new">Update pending</Status>;
  return <Status tone="ok">In sync</Status>;
}

export function ConfigurationCard({ host, state }: { host: HostV2; state: HostState }) {
  const { intendedHash, runningHash, appliedAt, error } = state;
  const differs = runningHash !== null && runningHash !== intendedHash;
  return (
    <Card
      title="Configuration"
      padded={false}
      actions={
        <Link to={`${hostPath(host)}/config`} className={styles.more}>
          {differs ? "View diff" : "View configuration"}
        </Link>
      }
    >
      {error !== null && (
        <div className={styles.notice}>
          <Notice tone="danger">{error}</Notice>
        </div>
      )}
      <KeyValueList>
        <KeyValue label="Status">
          <SyncStatus host={host} state={state} />
        </KeyValue>
        <KeyValue label="Expected (hash)" mono copy={intendedHash}>
          {intendedHash.slice(0, HASH_SHOWN)}…
        </KeyValue>
        {runningHash === null ? (
          <KeyValue label="Running (hash)">
            <NotReported host={host} />
          </KeyValue>
        ) : (
          <KeyValue label="Running (hash)" mono copy={runningHash}>
            {runningHash.slice(0, HASH_SHOWN)}…
          </KeyValue>
        )}
        <KeyValue label="Applied">
          {appliedAt ? <Time at={appliedAt} /> : <NotReported host={host} />}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

export function CertificateCard({ host, state: { certificate } }: { host: HostV2; state: HostState }) {
  if (!certificate)
    return (
      <Card title="Certificate">
        <p className={styles.muted}>
          No active certificate.{" "}
          {host.isBlocked
            ? "To get a new one, unblock the host and enroll it again."
            : "One is issued when the host enrolls."}
        </p>
      </Card>
    );
  const { fingerprint, notAfter, notBefore, certificateAuthorityID, groups } = certificate;
  return (
    <Card title="Certificate" padded={false}>
      <KeyValueList>
        <CopyableKeyValue label="Fingerprint" value={fingerprint} />
        <KeyValue label="Expires">
          <Time at={notAfter} /> · <Time at={notAfter} absolute />
        </KeyValue>
        <KeyValue label="Valid from">
          <Time at={notBefore} absolute />
        </KeyValue>
        <CopyableKeyValue label="Signed by" value={certificateAuthorityID} />
        <KeyValue label="Groups" mono={groups !== null}>
          {groups === null ? "New certificate pending" : groups.join(", ") || "None"}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

/** Settings, routes and rules that this host can't apply as requested. */
export function OmissionsNotice({ state: { omitted, wider } }: { state: HostState }) {
  const sentences = [...omitted.map(describeOmission), ...wider.map(describeWiderRule)];
  if (sentences.length === 0) return null;
  return (
    <Notice tone="warn">
      Some settings don’t apply to this host:
      <ul className={styles.sentences}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Notice>
  );
}
