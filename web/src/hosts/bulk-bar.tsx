import type { HostFilter } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { ActionBar } from "../ui/on-demand/action-bar.tsx";
import type { Selection } from "../ui/tables/selection.ts";
import type { HostKind } from "../references/host-link.tsx";
import { kindDetails } from "../references/host-kind.ts";
import type { BulkAction } from "./bulk-change.ts";

const BulkDialog = lazy(() => import("./bulk-dialog.tsx"));

const bulkActions: readonly { action: BulkAction; label: string; danger?: true }[] = [
  { action: "addTags", label: "Add tags" },
  { action: "removeTags", label: "Remove tags" },
  { action: "setRole", label: "Set role" },
  { action: "block", label: "Block" },
  { action: "unblock", label: "Unblock" },
  { action: "delete", label: "Delete", danger: true },
];

interface BulkBarProps {
  kind: HostKind;
  selection: Selection;
  /** The filter of the list, for "Select all matching". */
  filter: HostFilter;
  /** How many hosts match; a string such as "10,000+" if the number isn't exact. */
  total: number | string | undefined;
  /** The ids on this page. */
  page: readonly string[];
}

/** Shown while hosts are selected. The default export is for `lazy()`. */
export default function BulkBar({ kind, selection, filter, total, page }: BulkBarProps) {
  const [action, setAction] = useState<BulkAction>();
  const count = selection.isEverything ? total : selection.keys.size;
  const { noun } = kindDetails[kind];
  const isSinglePage = typeof total === "number" && total <= page.length;
  const canSelectMore = !selection.isEverything && !isSinglePage && page.every(selection.has);
  return (
    <>
      <ActionBar
        summary={`${typeof count === "number" ? formatNumber(count) : (count ?? "All")} selected`}
        onCancel={selection.clear}
        actions={[
          ...(canSelectMore && total !== undefined
            ? [
                {
                  label: `Select all ${typeof total === "number" ? formatNumber(total) : total} matching`,
                  onSelect: selection.selectEverything,
                },
              ]
            : []),
          ...bulkActions.map(({ action: bulkAction, ...item }) => ({
            ...item,
            onSelect: () => setAction(bulkAction),
          })),
        ]}
      />
      <Suspense>
        {action && (
          <BulkDialog
            action={action}
            hostCount={typeof count === "number" ? formatCount(count, noun) : `${count ?? "all"} ${noun}s`}
            hosts={selection.isEverything ? { filter } : { ids: [...selection.keys] }}
            onClose={() => setAction(undefined)}
            onStarted={() => {
              setAction(undefined);
              selection.clear();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
