import { updateTag, type TagListItem } from "@lightkeeper/contract";
import { useRef, useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { queryClient, useWrite } from "../lib/query.ts";
import { moveItem } from "../ui/on-demand/reorder.ts";
import { toast } from "../ui/feedback/toast.ts";
import { allTagsQuery } from "../references/tags.queries.ts";

type Neighbor = { before: string } | { after: string };

/** The highest priority comes first: `before` places a tag below the one it names, `after` above. */
function neighborOf(order: readonly TagListItem[], index: number): Neighbor | undefined {
  const higher = order[index - 1];
  if (higher) return { before: higher.name };
  const lower = order[index + 1];
  return lower && { after: lower.name };
}

/** Shows the new order while moves are saved one after the other, then the server's order. */
export function useTagOrder(tags: readonly TagListItem[]) {
  const [pendingOrder, setPendingOrder] = useState<readonly TagListItem[]>();
  const saving = useRef({ last: Promise.resolve(), count: 0 });
  const { mutateAsync: update } = useWrite(updateTag, { rules: [] });
  const order = pendingOrder ?? tags;

  async function savePosition({ name, ...tag }: TagListItem, neighbor: Neighbor) {
    const { description, configOverrides, routeSubscriptions } = tag;
    const body = { description, configOverrides, routeSubscriptions, ...neighbor };
    await update({ params: { tag: name }, body });
  }

  function save(tag: TagListItem, neighbor: Neighbor, undo: (() => void) | undefined) {
    saving.current.count += 1;
    const finish = async () => {
      saving.current.count -= 1;
      if (saving.current.count > 0) return;
      await queryClient.refetchQueries(allTagsQuery).catch(() => undefined);
      if (saving.current.count === 0) setPendingOrder(undefined);
    };
    saving.current.last = saving.current.last
      .then(() => savePosition(tag, neighbor))
      .then(
        () => void toast(`Tag ${tag.name} moved`, undo && { action: { label: "Undo", onSelect: undo } }),
        (error: Error) =>
          void toast(`Couldn’t move tag ${tag.name}: ${messageOf(error)}`, { tone: "danger" }),
      )
      .then(finish);
  }

  function moveIn(list: readonly TagListItem[], from: number, to: number, canUndo: boolean) {
    const tag = list[from];
    const next = moveItem(list, from, to);
    const neighbor = neighborOf(next, to);
    if (!tag || !neighbor) return;
    setPendingOrder(next);
    save(tag, neighbor, canUndo ? () => moveIn(next, to, from, false) : undefined);
  }

  return { order, move: (from: number, to: number) => moveIn(order, from, to, true) };
}
