import { updateTag, type Route } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../lib/list-page.ts";
import { queryClient, useWrite } from "../lib/query.ts";
import { TagPicker } from "../references/tag-picker.tsx";
import { allTagsQuery, tagQuery } from "../references/tags.queries.ts";
import { Card } from "../ui/pages/card.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { toast } from "../ui/feedback/toast.ts";

/** Who gets the route. It is the tags that say so, so each is changed at once, and can be changed back. */
export function Subscribers({ route }: { route: Pick<Route, "id" | "name"> }) {
  const { data: tags, error, refetch, isFetching } = useQuery(allTagsQuery);
  const { subscribe, shown } = useSubscriptions(route);
  const isReadOnly = useReadOnly();
  const names = tags?.filter(({ routeSubscriptions }) => routeSubscriptions.includes(route.id));
  const value = shown ?? names?.map(({ name }) => name) ?? [];

  function change(next: string[]) {
    const changed = [...next, ...value].find((name) => next.includes(name) !== value.includes(name));
    if (changed !== undefined) void subscribe(changed, next);
  }

  return (
    <Card title="Who gets it">
      {error && !tags ? (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <TagPicker
          label="Hosts with any of these tags"
          value={value}
          onChange={change}
          disabled={!tags || shown !== undefined || isReadOnly}
          placeholder="Nobody yet: choose a tag"
          hint="Takes effect at once. A host gets the route when it has one of the tags and is in the router's network."
        />
      )}
    </Card>
  );
}

function useSubscriptions({ id, name: routeName }: Pick<Route, "id" | "name">) {
  // What was chosen, until the server has it.
  const [shown, setShown] = useState<string[]>();
  const { mutateAsync: update } = useWrite(updateTag);

  async function set(name: string, isSubscribed: boolean) {
    const tag = await queryClient.fetchQuery({ ...tagQuery(name), staleTime: 0 });
    const { description, configOverrides } = tag;
    const others = tag.routeSubscriptions.filter((one) => one !== id);
    const routeSubscriptions = isSubscribed ? [...others, id] : others;
    await update({ params: { tag: name }, body: { description, configOverrides, routeSubscriptions } });
    await queryClient.refetchQueries(allTagsQuery);
  }

  async function subscribe(name: string, next: string[]) {
    const isSubscribed = next.includes(name);
    setShown(next);
    try {
      await set(name, isSubscribed);
      toast(`Hosts with ${name} ${isSubscribed ? "now get" : "no longer get"} ${routeName}`, {
        tone: "ok",
        action: { label: "Undo", onSelect: () => void set(name, !isSubscribed) },
      });
    } finally {
      setShown(undefined);
    }
  }

  return { shown, subscribe };
}
