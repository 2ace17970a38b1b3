import { DAY_MS } from "../../../infrastructure/time/durations.ts";
import { EXPIRING_DAYS } from "../../../nouns/hosts/host-filters.ts";
import { listOverdueHosts } from "../sources.queries.ts";
import { type FindItems, NAMED_HOSTS_MAX, toHostObjects } from "./item.ts";

/** One item for all hosts that should have renewed their certificate. */
export const findExpiringCertificates: FindItems = async ({ db, request, expiringHosts }) => {
  const { overdue, firstOverdueExpiresAt } = expiringHosts;
  if (firstOverdueExpiresAt === null) return [];
  const hosts = await listOverdueHosts(db, request, NAMED_HOSTS_MAX);
  return [
    {
      severity: "WARNING",
      objects: toHostObjects(hosts),
      hostCount: overdue,
      since: new Date(firstOverdueExpiresAt.getTime() - EXPIRING_DAYS * DAY_MS).toISOString(),
      expiresAt: firstOverdueExpiresAt.toISOString(),
    },
  ];
};
