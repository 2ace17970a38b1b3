/** How many event streams this process keeps open for a session and for an organization. */
import { ApiError } from "../../infrastructure/errors/api-error.ts";

/** One tab of a browser has the stream; the others are those that the server does not know to be gone. */
const PER_SESSION_MAX = 4;
const PER_ORGANIZATION_MAX = 500;
const RETRY_AFTER_SECONDS = 30;

interface StreamOwner {
  sessionID: string;
  organizationID: string;
}

export interface EventStreamQuota {
  /** Throws when the organization has too many streams. */
  require: (owner: StreamOwner) => void;
  /** Ends the oldest stream of a session that has too many; returns what is to be called when this one ends. */
  add: (owner: StreamOwner, end: () => void) => () => void;
}

export function createEventStreamQuota(organizationMax = PER_ORGANIZATION_MAX): EventStreamQuota {
  const bySession = new Map<string, Set<() => void>>();
  const byOrganization = new Map<string, number>();
  return {
    require({ sessionID, organizationID }) {
      if ((byOrganization.get(organizationID) ?? 0) < organizationMax) return;
      // A new stream takes the place of an older one.
      if ((bySession.get(sessionID)?.size ?? 0) >= PER_SESSION_MAX) return;
      throw new ApiError("ERR_TOO_MANY_REQUESTS", {
        message: `this organization already has ${organizationMax} event streams: try again later`,
        extra: { limit: organizationMax },
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    },
    add({ sessionID, organizationID }, end) {
      const streams = bySession.get(sessionID) ?? new Set();
      bySession.set(sessionID, streams);
      const [oldest] = streams;
      if (streams.size >= PER_SESSION_MAX) oldest?.();
      streams.add(end);
      byOrganization.set(organizationID, (byOrganization.get(organizationID) ?? 0) + 1);
      return () => {
        if (!streams.delete(end)) return;
        if (streams.size === 0 && bySession.get(sessionID) === streams) bySession.delete(sessionID);
        const left = (byOrganization.get(organizationID) ?? 0) - 1;
        if (left > 0) byOrganization.set(organizationID, left);
        else byOrganization.delete(organizationID);
      };
    },
  };
}
