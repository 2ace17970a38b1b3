/** Limits the open event streams of a session and of an organization in this process. */
import { ApiError } from "../../infrastructure/errors/api-error.ts";

/** A browser needs one stream; the others are connections that the server does not know to be closed. */
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
  /** Ends the oldest stream of a session that has too many; call the result when this stream ends. */
  add: (owner: StreamOwner, end: () => void) => () => void;
}

export function createEventStreamQuota(organizationMax = PER_ORGANIZATION_MAX): EventStreamQuota {
  const bySession = new Map<string, Set<() => void>>();
  const byOrganization = new Map<string, number>();
  return {
    require({ sessionID, organizationID }) {
      if ((byOrganization.get(organizationID) ?? 0) < organizationMax) return;
      // The new stream replaces the session's oldest one.
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
