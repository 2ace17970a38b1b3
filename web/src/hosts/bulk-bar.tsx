import type { HostFilter, HostsBulk } from "@lightkeeper/contract";
import { lazy, Suspense, useState } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { ActionBar } from "../ui/tables/action-bar.tsx";
import type { Selection } from "../ui/tables/selection.ts";
import type { HostKind } from "../references/host-link.tsx";
import { kindWords } from "./host-kind.ts";

const BulkDialog = lazy(() => import("./bulk-dialog.tsx"));

export type BulkAction = HostsBulk["action"];

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
  /** What the list shows, of which everything may be selected. */
  filter: HostFilter;
  /** How many match; a string where that is not exact. */
  total: number | string | undefined;
  /** The ids on this page. */
  page: readonly string[];
}

/** There while something is selected. The default export is for `lazy()`. */
export default function BulkBar({ kind, selection, filter, total, page }: BulkBarProps) {
  const [action, setAction] = useState<BulkAction>();
  const count = selection.isEverything ? total : selection.keys.size;
  const { noun } = kindWords[kind];
  const isAllThere = typeof total === "number" && total <= page.length;
  const mayHaveMore = !selection.isEverything && !isAllThere && page.every(selection.has);
  return (
    <>
      <ActionBar
        summary={`${typeof count === "number" ? formatNumber(count) : (count ?? "All")} selected`}
        onCancel={selection.clear}
        actions={[
          ...(mayHaveMore && total !== undefined
            ? [
                {
                  label: `Select all ${typeof total === "number" ? formatNumber(total) : total} matching`,
                  onSelect: selection.selectEverything,
                },
              ]
            : []),
          ...bulkActions.map(({ action: one, ...look }) => ({ ...look, onSelect: () => setAction(one) })),
        ]}
      />
      <Suspense>
        {action && (
          <BulkDialog
            action={action}
            what={typeof count === "number" ? formatCount(count, noun) : `${count ?? "all"} ${noun}s`}
            hosts={selection.isEverything ? { filter } : { ids: [...selection.keys] }}
            onClose={() => setAction(undefined)}
            onBegun={() => {
              setAction(undefined);
              selection.clear();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
