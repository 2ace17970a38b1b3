import { updateTag, type TagListItem } from "@lightkeeper/contract";
import { useRef, useState } from "react";
import { messageOf } from "../lib/errors.ts";
import { queryClient, useWrite } from "../lib/query.ts";
import { moveItem } from "../ui/forms/reorder.ts";
import { toast } from "../ui/feedback/toast.ts";
import { allTagsQuery } from "../references/tags.queries.ts";

type Neighbour = { before: string } | { after: string };

/** The highest priority comes first: `before` places a tag below the one it names, `after` above. */
function neighbourOf(order: readonly TagListItem[], place: number): Neighbour | undefined {
  const higher = order[place - 1];
  if (higher) return { before: higher.name };
  const lower = order[place + 1];
  return lower && { after: lower.name };
}

/** The order as it was put, while one move after the other is being saved; then the server's again. */
export function useTagOrder(tags: readonly TagListItem[]) {
  const [put, setPut] = useState<readonly TagListItem[]>();
  const saving = useRef({ last: Promise.resolve(), count: 0 });
  const { mutateAsync: update } = useWrite(updateTag, { rules: [] });
  const order = put ?? tags;

  async function place({ name, ...tag }: TagListItem, neighbour: Neighbour) {
    const { description, configOverrides, routeSubscriptions } = tag;
    const body = { description, configOverrides, routeSubscriptions, ...neighbour };
    await update({ params: { tag: name }, body });
  }

  function save(tag: TagListItem, neighbour: Neighbour, undo: (() => void) | undefined) {
    saving.current.count += 1;
    const settle = async () => {
      saving.current.count -= 1;
      if (saving.current.count > 0) return;
      await queryClient.refetchQueries(allTagsQuery).catch(() => undefined);
      if (saving.current.count === 0) setPut(undefined);
    };
    saving.current.last = saving.current.last
      .then(() => place(tag, neighbour))
      .then(
        () => void toast(`Tag ${tag.name} moved`, undo && { action: { label: "Undo", onSelect: undo } }),
        (error: Error) => void toast(`Tag ${tag.name} not moved: ${messageOf(error)}`, { tone: "danger" }),
      )
      .then(settle);
  }

  function moveIn(list: readonly TagListItem[], from: number, to: number, canUndo: boolean) {
    const tag = list[from];
    const next = moveItem(list, from, to);
    const neighbour = neighbourOf(next, to);
    if (!tag || !neighbour) return;
    setPut(next);
    save(tag, neighbour, canUndo ? () => moveIn(next, to, from, false) : undefined);
  }

  return { order, move: (from: number, to: number) => moveIn(order, from, to, true) };
}
