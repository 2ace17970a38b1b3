import type { ApiKey } from "@lightkeeper/contract";
import { Status } from "../ui/status.tsx";
import { Time, useNow } from "../ui/time.tsx";

const SOON_MS = 30 * 86_400_000;

/** When a key runs out: nothing to see to unless it is soon. */
export function ApiKeyExpiry({ apiKey: { expiresAt } }: { apiKey: Pick<ApiKey, "expiresAt"> }) {
  const now = useNow();
  if (expiresAt === null) return "Never";
  const leftMs = new Date(expiresAt).getTime() - now;
  if (leftMs <= 0)
    return (
      <Status tone="bad">
        Expired <Time at={expiresAt} />
      </Status>
    );
  const time = <Time at={expiresAt} />;
  return leftMs <= SOON_MS ? <Status tone="warn">{time}</Status> : time;
}
