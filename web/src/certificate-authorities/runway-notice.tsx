import type { Network } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "../lib/format.ts";
import { NetworkLink } from "../references/network-link.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { absoluteTime } from "../ui/base/relative-time.ts";
import { useNow } from "../ui/text/time.tsx";
import { runwayOf } from "./ca-words.ts";
import { allCasQuery } from "./certificate-authorities.queries.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/** How long the networks would go on by themselves. */
export function RunwayNotice({ networks }: { networks: readonly Network[] | undefined }) {
  const { data } = useQuery(allCasQuery);
  const now = useNow();
  const runway = data && runwayOf(data);
  if (!runway) return null;
  const { at, networkID, what } = runway;
  const network = networks?.find(({ id }) => id === networkID);
  const days = Math.floor((new Date(at).getTime() - now) / DAY_MS);
  return (
    <Notice tone={days < SOON_DAYS ? "warn" : "info"}>
      If nothing were renewed from now on, the first host would drop out{" "}
      <time dateTime={at} title={absoluteTime(new Date(at))}>
        {days < 1 ? "within a day" : `in ${formatCount(days, "day")}`}
      </time>
      {network && (
        <>
          , in <NetworkLink network={network} />
        </>
      )}
      : {what === "certificate" ? "its certificate" : "its network’s authority"} ends then. A host that is
      online renews by itself, long before.
    </Notice>
  );
}
