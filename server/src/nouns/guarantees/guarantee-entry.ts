import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { GuaranteeResult } from "./guarantee-state.ts";
import type { GuaranteeRow } from "./guarantees.queries.ts";

const snapshot = (row: GuaranteeRow | null) =>
  row && {
    type: row.type,
    source: row.source,
    destination: row.destination,
    protocol: row.protocol,
    portRange: row.port_range,
    networkID: row.network_id,
    description: row.description,
    suspension:
      row.suspended_until === null
        ? null
        : { reason: row.suspension_reason, until: row.suspended_until.toISOString() },
  };

interface GuaranteeChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: GuaranteeRow | null;
  after: GuaranteeRow | null;
}

export const guaranteeEntry = (
  author: Author,
  id: string,
  { event, before, after }: GuaranteeChange,
): AuditEntry => ({
  ...author,
  target: { type: "guarantee", id },
  event,
  before: snapshot(before),
  after: snapshot(after),
});

interface StateChange {
  before: GuaranteeRow;
  after: GuaranteeRow;
  result: GuaranteeResult;
}

const auditState = ({ failing_since }: GuaranteeRow) => ({
  failingSince: failing_since?.toISOString() ?? null,
});

/** A guarantee starts or stops failing. */
export const stateEntry = (author: Author, { before, after, result }: StateChange): AuditEntry => ({
  ...author,
  target: { type: "guarantee", id: after.id },
  event: after.failing_since === null ? "STOPPED_FAILING" : "STARTED_FAILING",
  before: auditState(before),
  after: {
    ...auditState(after),
    brokenPairCount: result.brokenPairCount,
    counterexample: result.counterexample,
  },
});
