import type { Guarantee } from "@lightkeeper/contract";
import { HOUR_MS, MINUTE_MS } from "@lightkeeper/contract/durations";
import { formatCount } from "../lib/format.ts";
import { absoluteTime } from "../ui/base/relative-time.ts";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { useNow } from "../ui/text/time.tsx";

export const stateLabels: Readonly<Record<Guarantee["state"], string>> = {
  failing: "Failing",
  suspended: "Suspended",
  holds: "Holds",
  noHosts: "Matches no hosts",
};

const tones: Readonly<Record<Guarantee["state"], StatusProps["tone"]>> = {
  failing: "bad",
  suspended: "warn",
  holds: "ok",
  noHosts: "off",
};

/** "2 days", "5 hours", "3 minutes"; less than a minute counts as one. */
function formatDuration(durationMs: number): string {
  const minutes = Math.max(1, Math.round(durationMs / MINUTE_MS));
  if (minutes < 60) return formatCount(minutes, "minute");
  const hours = Math.round(durationMs / HOUR_MS);
  return hours < 48 ? formatCount(hours, "hour") : formatCount(Math.round(hours / 24), "day");
}

type GuaranteeStateProps = Pick<Guarantee, "state" | "failingSince" | "suspension">;

/** "Failing for 2 days", "Suspended, 5 days left", "Holds" */
export function GuaranteeState({ state, failingSince, suspension }: GuaranteeStateProps) {
  const now = useNow();
  const timeOf = (at: string) => new Date(at).getTime();
  if (state === "failing" && failingSince)
    return (
      <Status tone="bad">
        <time dateTime={failingSince} title={absoluteTime(new Date(failingSince))}>
          Failing for {formatDuration(now - timeOf(failingSince))}
        </time>
      </Status>
    );
  if (state === "suspended" && suspension)
    return (
      <Status tone="warn">
        <time dateTime={suspension.until} title={absoluteTime(new Date(suspension.until))}>
          Suspended, {formatDuration(timeOf(suspension.until) - now)} left
        </time>
      </Status>
    );
  return <Status tone={tones[state]}>{stateLabels[state]}</Status>;
}
