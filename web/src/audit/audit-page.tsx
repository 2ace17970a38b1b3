import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "react-router";
import { useListState } from "../lib/list-state.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button, LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { DownloadIcon, LogIcon } from "../ui/base/icons.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { countActive, Toolbar } from "../ui/tables/toolbar.tsx";
import { AuditEntries } from "./audit-entries.tsx";
import { AuditFilterBar } from "./audit-filter-bar.tsx";
import { auditListSpec, toLogFilter, type AuditListState } from "./audit-filters.ts";
import { AUDIT_EXPORT_PATH } from "./audit-link.tsx";
import { newestQuery, type LogFilter } from "./audit.queries.ts";
import { ChainState } from "./chain-state.tsx";

/** The audit log. The export is a dialog over it, with its own URL. */
export function AuditPage() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const state = useListState(auditListSpec);
  const filter = toLogFilter(state.filters);
  const targetName = useTargetName(filter);
  const exportPath = `${AUDIT_EXPORT_PATH}${search}`;
  usePageTitle(pathname.startsWith(AUDIT_EXPORT_PATH) ? "Export audit log" : "Audit log");
  useShortcut("d", "Export the log", () => void navigate(exportPath, { preventScrollReset: true }));
  return (
    <PageContent kind="list">
      <PageHeader
        title="Audit log"
        lead="Every change, login and enrollment. Entries are hash-chained, so tampering is detectable."
        actions={
          <LinkButton to={exportPath} preventScrollReset icon={<DownloadIcon />}>
            Export
          </LinkButton>
        }
      />
      <ChainState />
      <Toolbar
        filters={{
          chips: <AuditFilterBar state={state} targetName={targetName} />,
          // The two dates belong to the filter by time.
          activeCount: countActive({ ...state.filters, from: [], to: [] }),
        }}
      />
      <Card padded={false}>
        <AuditEntries level={2} filter={filter} empty={<NoEntries state={state} />} />
      </Card>
      <Outlet context={filter} />
    </PageContent>
  );
}

/** The name of the object that the log is filtered by, from one of its entries. */
function useTargetName({ targetID }: LogFilter): string | undefined {
  const { data } = useQuery({ ...newestQuery({ targetID }), enabled: targetID !== undefined });
  return data?.data.find(({ targetName }) => targetName)?.targetName ?? undefined;
}

function NoEntries({ state: { isFiltered, clear } }: { state: AuditListState }) {
  if (!isFiltered)
    return (
      <EmptyState icon={<LogIcon />} title="No entries yet">
        Every change, login and enrollment appears here.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<LogIcon />}
      title="No matching entries"
      action={<Button onClick={clear}>Clear filters</Button>}
    >
      No entry matches all of the filters.
    </EmptyState>
  );
}
