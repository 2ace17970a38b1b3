import type { AuditLog } from "@lightkeeper/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRef, type ReactNode, type RefObject } from "react";
import { failureOf } from "../lib/list-page.ts";
import { queryClient } from "../lib/query.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { Button } from "../ui/controls/button.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { ArrowUpIcon } from "../ui/base/icons.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { appearDelayMs, useElapsed } from "../ui/base/timer.ts";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import { logQuery, newestQuery, type LogFilter, type LogPage } from "./audit.queries.ts";
import styles from "./audit.module.css";
import { byDay } from "./days.ts";
import { EntryRow, TOGGLE } from "./entry-row.tsx";

interface AuditEntriesProps {
  filter: LogFilter;
  /** Shown if there are no entries. */
  empty: ReactNode;
  /** The heading level of the days: 2 below a page's title, 3 within a card. */
  level: 2 | 3;
}

/** A log, newest first. New entries are shown on request, so that the list doesn't move while someone reads it. */
export function AuditEntries({ filter, empty, level }: AuditEntriesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEntryKeys(list);
  const query = useInfiniteQuery(logQuery(filter));
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const entries = data?.pages.flatMap((page) => page.data);
  if (!entries)
    return error ? (
      <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Loading />
    );
  return (
    <div ref={list}>
      <NewEntries filter={filter} shown={data?.pages[0]} />
      {entries.length === 0 ? empty : <Days entries={entries} level={level} />}
      {hasNextPage && (
        <div className={styles.older}>
          <Button onClick={() => void fetchNextPage()} pending={isFetchingNextPage}>
            Show older
          </Button>
          {error && <span className={styles.failed}>{failureOf(error).message}</span>}
        </div>
      )}
    </div>
  );
}

function Loading() {
  const isLong = useElapsed(appearDelayMs);
  return (
    <>
      <Announcement>{isLong && "Loading the log"}</Announcement>
      {isLong && <SkeletonRows rows={10} />}
    </>
  );
}

function Days({ entries, level }: { entries: readonly AuditLog[]; level: 2 | 3 }) {
  const Heading = level === 2 ? "h2" : "h3";
  return byDay(entries, new Date()).map((day) => (
    <section key={day.label}>
      <Heading className={styles.day}>{day.label}</Heading>
      <ol className={styles.entries}>
        {day.entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ol>
    </section>
  ));
}

/** The number of entries before the first one shown; a whole page if that one isn't among them. */
function countNew(newest: LogPage | undefined, shown: LogPage | undefined): number {
  if (!newest || !shown) return 0;
  const first = shown.data[0]?.id;
  const place = newest.data.findIndex(({ id }) => id === first);
  return place < 0 ? newest.data.length : place;
}

function NewEntries({ filter, shown }: { filter: LogFilter; shown: LogPage | undefined }) {
  const { data: newest } = useQuery({
    ...newestQuery(filter),
    initialData: shown,
    initialDataUpdatedAt: Date.now,
  });
  const count = countNew(newest, shown);
  const isMore = count === newest?.data.length && newest.metadata.hasNextPage;
  const label = `${count}${isMore ? "+" : ""} new ${count === 1 ? "entry" : "entries"}`;

  function show() {
    if (!newest) return;
    // The newest page is already loaded; older pages are loaded again on request.
    queryClient.setQueryData(logQuery(filter).queryKey, { pages: [newest], pageParams: [undefined] });
    window.scrollTo({ top: 0 });
  }

  return (
    <>
      <Announcement>{count > 0 && label}</Announcement>
      {count > 0 && (
        <div className={styles.newEntries}>
          <Button size="small" icon={<ArrowUpIcon width={12} height={12} />} onClick={show}>
            Show {label}
          </Button>
        </div>
      )}
    </>
  );
}

/** Moves the focus between entries. Enter opens one because its toggle is a button. */
function useEntryKeys(list: RefObject<HTMLElement | null>): void {
  function move(step: number) {
    const toggles = [...(list.current?.querySelectorAll<HTMLElement>(TOGGLE) ?? [])];
    const at = toggles.findIndex((toggle) => toggle.closest("li")?.contains(document.activeElement));
    (at < 0 ? toggles.at(step > 0 ? 0 : -1) : toggles[at + step])?.focus();
  }
  useShortcut("j", "Next entry", () => move(1), "Lists");
  useShortcut("k", "Previous entry", () => move(-1), "Lists");
}
