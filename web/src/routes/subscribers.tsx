import type { Route } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { failureOf } from "../lib/list-page.ts";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { allTagsQuery } from "../references/tags.queries.ts";
import { useReadOnly } from "../ui/base/read-only.ts";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Card } from "../ui/pages/card.tsx";
import type { SubscriptionChange } from "./subscription-dialog.tsx";

const SubscriptionDialog = lazy(() => import("./subscription-dialog.tsx"));

/** The tags that subscribe to the route. A change updates the tag immediately, after a preview. */
export function Subscribers({ route }: { route: Pick<Route, "id" | "name"> }) {
  const { data: tags, error, refetch, isFetching } = useQuery(allTagsQuery);
  const [change, setChange] = useState<SubscriptionChange>();
  const isReadOnly = useReadOnly();
  const subscribed = tags?.filter(({ routeSubscriptions }) => routeSubscriptions.includes(route.id)) ?? [];
  const value = subscribed.map(({ name }) => name);

  function choose(next: string[]) {
    const tag = [...next, ...value].find((name) => next.includes(name) !== value.includes(name));
    if (tag !== undefined) setChange({ tag, isSubscribed: next.includes(tag) });
  }

  return (
    <Card title="Applies to">
      {error && !tags ? (
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <TagPicker
          label="Hosts with any of these tags"
          value={value}
          onChange={choose}
          disabled={!tags || isReadOnly}
          placeholder="Choose a tag"
          hint="Each change shows a preview first, then takes effect immediately. A host gets the route if it has one of these tags and is in the router’s network."
        />
      )}
      <Suspense>
        {change && (
          <SubscriptionDialog
            key={change.tag}
            route={route}
            change={change}
            onClose={() => setChange(undefined)}
          />
        )}
      </Suspense>
    </Card>
  );
}
