import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { RouteRow } from "./routes.queries.ts";

const snapshot = (row: RouteRow | null) =>
  row && {
    name: row.name,
    description: row.description,
    routerHostID: row.router_host_id,
    routableCIDRs: row.routable_cidrs,
    firewallRules: row.firewall_rules,
    acceptWiderRules: row.accept_wider_rules,
  };

interface RouteChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: RouteRow | null;
  after: RouteRow | null;
}

export const routeEntry = (
  author: Author,
  id: string,
  { event, before, after }: RouteChange,
): AuditEntry => ({
  ...author,
  target: { type: "route", id },
  event,
  before: snapshot(before),
  after: snapshot(after),
});
