/** Guarantees, and the changes of who reaches whom. */
import type { AccessChange, AccessHostReference, Guarantee } from "@lightkeeper/contract";
import type { ColumnType, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

export interface AccessTables {
  guarantees: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    type: Guarantee["type"];
    source: JSONColumnType<Guarantee["source"]>;
    destination: JSONColumnType<Guarantee["destination"]>;
    protocol: Guarantee["protocol"];
    port_range: JSONColumnType<{ from: number; to: number }> | null;
    network_id: string | null;
    description: string;
    suspended_until: Date | null;
    suspension_reason: string | null;
    failing_since: Date | null;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  access_diffs: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    opened: JSONColumnType<AccessChange[], string, never>;
    closed: JSONColumnType<AccessChange[], string, never>;
    affected_hosts: JSONColumnType<AccessHostReference[], string, never>;
  };
  /** Triggers insert the rows. */
  access_changes: {
    organization_id: ColumnType<string, never, never>;
    kind: ColumnType<"host" | "network" | "role" | "tag" | "route" | "guarantee", never, never>;
    /** A tag's name, for tags. */
    key: ColumnType<string, never, never>;
    /** A number of 64 bits, as text. */
    transaction_id: ColumnType<string, never, never>;
    created_at: ColumnType<Date, never, never>;
  };
}
