import type { NetworkV2 } from "@lightkeeper/contract";
import { DAY_MS } from "@lightkeeper/contract/durations";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "../lib/format.ts";
import { NetworkLink } from "../references/network-link.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { absoluteTime } from "../ui/base/relative-time.ts";
import { useNow } from "../ui/text/time.tsx";
import { firstExpiryOf } from "./runway.ts";
import { allCasQuery } from "./certificate-authorities.queries.ts";

const WARNING_DAYS = 30;

/** How long all hosts would stay connected without this server. */
export function RunwayNotice({ networks }: { networks: readonly NetworkV2[] | undefined }) {
  const { data } = useQuery(allCasQuery);
  const now = useNow();
  const expiry = data && firstExpiryOf(data);
  if (!expiry) return null;
  const { at, networkID, what } = expiry;
  const network = networks?.find(({ id }) => id === networkID);
  const days = Math.round((new Date(at).getTime() - now) / DAY_MS);
  return (
    <Notice tone={days < WARNING_DAYS ? "warn" : "info"}>
      If this server went offline now, the first host would lose access{" "}
      <time dateTime={at} title={absoluteTime(new Date(at))}>
        {days < 1 ? "within a day" : `in ${formatCount(days, "day")}`}
      </time>
      , when its {what}
      {network && (
        <>
          {" "}
          in <NetworkLink network={network} />
        </>
      )}{" "}
      expires. Online hosts renew automatically well before then.
    </Notice>
  );
}
