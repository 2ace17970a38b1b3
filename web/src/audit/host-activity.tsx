import type { HostV2 } from "@lightkeeper/contract";
import { useOutletContext } from "react-router";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { AuditEntries } from "./audit-entries.tsx";

/** A tab of a host's page: the entries about this host. */
export function HostActivity() {
  const host = useOutletContext<HostV2>();
  return (
    <Card title="Activity" padded={false}>
      <AuditEntries
        level={3}
        filter={{ targetType: "host", targetID: host.id }}
        empty={<EmptyState title="No entries yet">Every change to this host appears here.</EmptyState>}
      />
    </Card>
  );
}
