import { getAttention, type AttentionItem, type HostFilter } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState, type RefObject } from "react";
import { api } from "../lib/api.ts";
import { keyOf } from "../lib/query.ts";

/** Some items appear because time has passed, without a change on the server. */
const REFETCH_MS = 60_000;

/** The list is loaded together with its items, and only if there are any, so that the page doesn't change afterwards. */
async function loadList(items: AttentionItem[]) {
  if (items.length === 0) return undefined;
  const { AttentionList, prepareItems } = await import("./attention-list.tsx");
  await prepareItems(items);
  return AttentionList;
}

/** What needs attention, and the health of the hosts that a list contains. */
export function useAttention(
  { networkID, isLighthouse, isRelay }: HostFilter,
  { area, enabled }: { area: RefObject<HTMLElement | null>; enabled: boolean },
) {
  const query = {
    "filter.networkID": networkID,
    "filter.isLighthouse": isLighthouse,
    "filter.isRelay": isRelay,
  };
  const { data, isPending, failureCount } = useQuery({
    queryKey: keyOf(getAttention, { query }),
    queryFn: async ({ signal }) => {
      const { items, health } = await api(getAttention, { query, signal });
      return { items, health, networkID, List: await loadList(items) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
    enabled,
  });
  const shown = useHeld(data, area);
  return {
    health: data?.health,
    shown,
    // The page doesn't wait for a second attempt.
    isPending: enabled && isPending && failureCount === 0,
  };
}

interface Attention {
  items: AttentionItem[];
  networkID: string | undefined;
}

const keysOf = ({ items, networkID }: Attention) =>
  [
    networkID,
    ...items.map(({ type, objects: [object] }) => type + (object?.type !== "host" && object?.id)),
  ].join();

/** On a touch screen, `:hover` stays with what was touched last. */
const isUsed = (area: HTMLElement) =>
  area.contains(document.activeElement) || (area.matches(":hover") && matchMedia("(hover: hover)").matches);

/** The newest items, but no added, removed or moved ones while the pointer or the focus is in the area. */
function useHeld<T extends Attention>(
  newest: T | undefined,
  area: RefObject<HTMLElement | null>,
): T | undefined {
  const [held, setHeld] = useState(newest);
  const isMoved = newest !== undefined && (held === undefined || keysOf(held) !== keysOf(newest));
  // Another network is what the person has asked for.
  const isOther = isMoved && held?.networkID !== newest.networkID;
  if (isMoved && (held === undefined || isOther)) setHeld(newest);
  useEffect(() => {
    const element = area.current;
    if (!isMoved || !element) return;
    const release = () => void (isUsed(element) || setHeld(newest));
    const handleBlur = ({ relatedTarget }: FocusEvent) =>
      void (element.contains(relatedTarget as Node | null) || release());
    release();
    element.addEventListener("pointerleave", release);
    element.addEventListener("focusout", handleBlur);
    return () => {
      element.removeEventListener("pointerleave", release);
      element.removeEventListener("focusout", handleBlur);
    };
  }, [isMoved, newest, area]);
  return isMoved ? held : newest;
}
