import type { HostState, HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useOutletContext } from "react-router";
import { downloadText } from "../lib/download.ts";
import { diffLines, withContext } from "../ui/on-demand/line-diff.ts";
import { failureOf } from "../lib/list-page.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { CodeBlock } from "../ui/text/code.tsx";
import { Diff } from "../ui/on-demand/diff.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Time } from "../ui/text/time.tsx";
import { OmissionsNotice, SyncStatus } from "./host-state-cards.tsx";
import { hostStateQuery } from "./host-state.queries.ts";
import styles from "./host-page.module.css";

const CONTEXT_LINES = 3;

export function HostConfig() {
  const host = useOutletContext<HostV2>();
  const { data: state, error, isFetching, refetch } = useQuery(hostStateQuery(host.id));
  if (!state)
    return (
      <Card title="Configuration" padded={false}>
        {error ? (
          <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <SkeletonRows rows={10} />
        )}
      </Card>
    );
  return (
    <div className={styles.column}>
      <div className={styles.running}>
        <SyncStatus host={host} state={state} />
        {state.reportedAt && (
          <span className={styles.muted}>
            as of <Time at={state.reportedAt} />
          </span>
        )}
      </div>
      <OmissionsNotice state={state} />
      <ConfigDiff state={state} />
      <ExpectedConfig host={host} state={state} />
    </div>
  );
}

function ConfigDiff({ state }: { state: HostState }) {
  const { runningHash, intendedHash, runningConfig, config } = state;
  if (runningHash === null || runningHash === intendedHash) return null;
  if (runningConfig === null)
    return (
      <Card title="Difference">
        <p className={styles.muted}>
          This host runs a different configuration. Its text is no longer available; only the hash differs.
        </p>
      </Card>
    );
  return (
    <Card title="Changes from running to expected" padded={false}>
      <Diff label="Difference" lines={withContext(diffLines(runningConfig, config), CONTEXT_LINES)} />
    </Card>
  );
}

function ExpectedConfig({ host, state: { config } }: { host: HostV2; state: HostState }) {
  return (
    <Card
      title="Expected configuration"
      actions={
        <Button
          size="small"
          icon={<DownloadIcon />}
          onClick={() => downloadText(`${host.id}.yml`, config, "application/yaml")}
        >
          Download
        </Button>
      }
    >
      <p className={styles.explanation}>
        The configuration this host should run. Its key and certificate aren’t included; the private key never
        leaves the host.
      </p>
      <CodeBlock label="Configuration file" copy="configuration">
        {config}
      </CodeBlock>
    </Card>
  );
}
