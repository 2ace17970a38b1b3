import { updateTag, type Route } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../lib/list-page.ts";
import { queryClient, useWrite } from "../lib/query.ts";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { allTagsQuery, tagQuery } from "../references/tags.queries.ts";
import { Card } from "../ui/pages/card.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { toast } from "../ui/feedback/toast.ts";

/** The tags that subscribe to the route. A change updates the tag immediately and can be undone. */
export function Subscribers({ route }: { route: Pick<Route, "id" | "name"> }) {
  const { data: tags, error, refetch, isFetching } = useQuery(allTagsQuery);
  const { subscribe, pendingTags } = useSubscriptions(route);
  const isReadOnly = useReadOnly();
  const names = tags?.filter(({ routeSubscriptions }) => routeSubscriptions.includes(route.id));
  const value = pendingTags ?? names?.map(({ name }) => name) ?? [];

  function change(next: string[]) {
    const changed = [...next, ...value].find((name) => next.includes(name) !== value.includes(name));
    if (changed !== undefined) void subscribe(changed, next);
  }

  return (
    <Card title="Applies to">
      {error && !tags ? (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <TagPicker
          label="Hosts with any of these tags"
          value={value}
          onChange={change}
          disabled={!tags || pendingTags !== undefined || isReadOnly}
          placeholder="Choose a tag"
          hint="Changes take effect immediately. A host gets the route if it has one of these tags and is in the router’s network."
        />
      )}
    </Card>
  );
}

function useSubscriptions({ id, name: routeName }: Pick<Route, "id" | "name">) {
  // The chosen tags until they are saved.
  const [pendingTags, setPendingTags] = useState<string[]>();
  const { mutateAsync: update } = useWrite(updateTag);

  async function updateSubscription(name: string, isSubscribed: boolean) {
    const tag = await queryClient.fetchQuery({ ...tagQuery(name), staleTime: 0 });
    const { description, configOverrides } = tag;
    const others = tag.routeSubscriptions.filter((routeID) => routeID !== id);
    const routeSubscriptions = isSubscribed ? [...others, id] : others;
    await update({ params: { tag: name }, body: { description, configOverrides, routeSubscriptions } });
    await queryClient.refetchQueries(allTagsQuery);
  }

  async function subscribe(name: string, next: string[]) {
    const isSubscribed = next.includes(name);
    setPendingTags(next);
    try {
      await updateSubscription(name, isSubscribed);
      toast(`${routeName} ${isSubscribed ? "now applies" : "no longer applies"} to hosts with ${name}`, {
        tone: "ok",
        action: { label: "Undo", onSelect: () => void updateSubscription(name, !isSubscribed) },
      });
    } finally {
      setPendingTags(undefined);
    }
  }

  return { pendingTags, subscribe };
}
