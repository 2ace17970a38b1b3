import type { HostV2 } from "@lightkeeper/contract";
import { useOutletContext } from "react-router";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { AuditEntries } from "./audit-entries.tsx";

/** A tab of a host's page: the log, of this host. */
export function HostActivity() {
  const host = useOutletContext<HostV2>();
  return (
    <Card title="Activity" padded={false}>
      <AuditEntries
        level={3}
        filter={{ targetType: "host", targetID: host.id }}
        empty={
          <EmptyState title="Nothing has happened yet">Every change of this host is listed here.</EmptyState>
        }
      />
    </Card>
  );
}
