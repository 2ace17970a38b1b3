import type { ApiKey } from "@lightkeeper/contract";
import { DAY_MS } from "@lightkeeper/contract/durations";
import { Status } from "../ui/feedback/status.tsx";
import { Time, useNow } from "../ui/text/time.tsx";

const SOON_MS = 30 * DAY_MS;

interface ApiKeyExpiryProps {
  apiKey: Pick<ApiKey, "expiresAt">;
}

/** When a key expires, highlighted if that is soon. */
export function ApiKeyExpiry({ apiKey: { expiresAt } }: ApiKeyExpiryProps) {
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

/** The expiry as a phrase, for lists without column headers. */
export function ApiKeyExpirySummary({ apiKey }: ApiKeyExpiryProps) {
  const now = useNow();
  if (apiKey.expiresAt === null) return "Never expires";
  const isExpired = new Date(apiKey.expiresAt).getTime() <= now;
  return (
    <>
      {!isExpired && "Expires "}
      <ApiKeyExpiry apiKey={apiKey} />
    </>
  );
}
