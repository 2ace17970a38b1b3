import type { HostTraffic, HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { formatClock } from "../lib/format.ts";
import { failureOf } from "../lib/list-page.ts";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";
import { formatBytes, formatRate } from "./byte-labels.ts";
import { hostTrafficQuery } from "./host-state.queries.ts";
import { NoLiveValue } from "./not-reported.tsx";
import { Sparkline } from "./sparkline.tsx";
import styles from "./host-traffic-card.module.css";

const TITLE = "Traffic in the last 24 hours";

/** The traffic of the overlay interface, as the agent reports it. */
export function TrafficCard({ host }: { host: HostV2 }) {
  const { data: traffic, error, isFetching, refetch } = useQuery(hostTrafficQuery(host.id));
  if (!traffic)
    return (
      <Card title={TITLE} padded={false}>
        {error ? (
          <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <SkeletonRows rows={3} />
        )}
      </Card>
    );
  if (traffic.reportedAt === null)
    return (
      <Card title={TITLE}>
        <NoLiveValue host={host} />
      </Card>
    );
  return (
    <Card title={TITLE} padded={false}>
      <div className={styles.traffic}>
        <Direction label="Received" values={traffic.receivedBytes} traffic={traffic} />
        <Direction label="Sent" values={traffic.sentBytes} traffic={traffic} />
      </div>
    </Card>
  );
}

interface DirectionProps {
  label: string;
  values: HostTraffic["receivedBytes"];
  traffic: HostTraffic;
}

function Direction({ label, values, traffic: { startsAt, bucketSeconds } }: DirectionProps) {
  const known = values.flatMap((value) => value ?? []);
  const sum = known.reduce((total, bytes) => total + bytes, 0);
  const timeOf = (index: number) => formatClock(Date.parse(startsAt) + index * bucketSeconds * 1000);
  const describe = (index: number) => {
    const bytes = values[index] ?? null;
    return `${timeOf(index)}: ${bytes === null ? "no data" : formatBytes(bytes)}`;
  };
  return (
    <div className={styles.direction}>
      <p className={styles.label}>
        {label}
        <span className={styles.peak}>Peak {formatRate(Math.max(0, ...known), bucketSeconds)}</span>
      </p>
      <p className={styles.sum}>{formatBytes(sum)}</p>
      <Sparkline label={`${label} in the last 24 hours`} values={values} describe={describe} />
      <p aria-hidden="true" className={styles.axis}>
        <span>{timeOf(0)}</span>
        <span>{timeOf(values.length / 2)}</span>
        <span>now</span>
      </p>
    </div>
  );
}
