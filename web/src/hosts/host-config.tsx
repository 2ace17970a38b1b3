import type { HostState, HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useOutletContext } from "react-router";
import { downloadText } from "../lib/download.ts";
import { diffLines, withContext } from "../lib/line-diff.ts";
import { failureOf } from "../lib/list-page.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { CodeBlock } from "../ui/text/code.tsx";
import { Diff } from "../ui/text/diff.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Time } from "../ui/text/time.tsx";
import { LeftOutCard, RunningStatus } from "./host-state-cards.tsx";
import { hostStateQuery } from "../references/hosts.queries.ts";
import styles from "./host-page.module.css";

const CONTEXT_LINES = 3;

export function HostConfig() {
  const host = useOutletContext<HostV2>();
  const { data: state, error, isFetching, refetch } = useQuery(hostStateQuery(host.id));
  if (!state)
    return (
      <Card title="Config" padded={false}>
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
        <RunningStatus host={host} state={state} />
        {state.reportedAt && (
          <span className={styles.muted}>
            as of <Time at={state.reportedAt} />
          </span>
        )}
      </div>
      <LeftOutCard state={state} />
      <Difference state={state} />
      <Intended host={host} state={state} />
    </div>
  );
}

function Difference({ state }: { state: HostState }) {
  const { runningHash, intendedHash, runningConfig, config } = state;
  if (runningHash === null || runningHash === intendedHash) return null;
  if (runningConfig === null)
    return (
      <Card title="Difference">
        <p className={styles.muted}>
          It runs something else, whose text is no longer known: only its fingerprint differs.
        </p>
      </Card>
    );
  return (
    <Card title="From what it runs to what is intended" padded={false}>
      <Diff label="Difference" lines={withContext(diffLines(runningConfig, config), CONTEXT_LINES)} />
    </Card>
  );
}

function Intended({ host, state: { config } }: { host: HostV2; state: HostState }) {
  return (
    <Card
      title="Intended"
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
        What the host gets. Its private key never leaves it, so neither key nor certificate is in here.
      </p>
      <CodeBlock label="Intended config" copy="config">
        {config}
      </CodeBlock>
    </Card>
  );
}
