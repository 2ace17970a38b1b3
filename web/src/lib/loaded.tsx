import { MissingEntityError, NotFoundError } from "@lightkeeper/contract";
import { useIsMutating, type UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParams } from "react-router";
import { Breadcrumb, type Crumb } from "../ui/pages/breadcrumb.tsx";
import { Card } from "../ui/pages/card.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { FormPage } from "../ui/pages/form-page.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { failureOf } from "./list-page.ts";

interface LoadedProps<Item> {
  query: UseQueryResult<Item>;
  /** The page's title until the item is loaded. */
  title: string;
  crumbs: readonly Crumb[];
  children: (item: Item) => ReactNode;
}

/**
 * Renders its children once the item is loaded. A missing item leads to the 404 page, except while it is being deleted
 * on this page: the change event can arrive before the page navigates away.
 */
export function Loaded<Item>({ query, title, crumbs, children }: LoadedProps<Item>) {
  const { data, error, isFetching, refetch } = query;
  const isWriting = useIsMutating() > 0;
  const id = Object.values(useParams()).at(-1);
  if (error instanceof NotFoundError && !(isWriting && data !== undefined))
    throw id === undefined ? error : new MissingEntityError(id);
  if (data !== undefined) return children(data);
  if (!error) return <Spinner delayed />;
  return (
    <FormPage>
      <PageHeader breadcrumb={<Breadcrumb crumbs={crumbs} />} title={title} />
      <Card>
        <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
      </Card>
    </FormPage>
  );
}
