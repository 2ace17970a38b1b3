/** Generates consistent host states of every kind. */
import type { HostKind } from "./host-kinds.ts";
import type { Random } from "./random.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../infrastructure/time/durations.ts";

const CERTIFICATE_DAYS = 365;
const RENEWED_AFTER_DAYS = CERTIFICATE_DAYS / 2;
const EXPIRING_DAYS = 30;
/** Longer than the offline threshold of any agent, including phones. */
const OFFLINE_AFTER_MS = 2 * HOUR_MS;

const agents = {
  agent: { name: "lightkeeper-agent", older: ["0.0.7", "0.0.9"] },
  dnclient: { name: "dnclient", older: ["0.7.1", "0.8.2", "0.8.4"] },
  mobile: { name: "mobile", older: ["0.4.3", "0.5.1", "0.5.2"] },
} as const;

export interface HostState {
  is_blocked: boolean;
  enrolled_at: Date | null;
  is_online: boolean;
  is_drifted: boolean;
  agent_name: string | null;
  agent_version: string | null;
  certificate_expires_at: Date | null;
  lastSeenAt: Date | null;
}

const NEVER_ENROLLED: HostState = {
  is_blocked: false,
  enrolled_at: null,
  is_online: false,
  is_drifted: false,
  agent_name: null,
  agent_version: null,
  certificate_expires_at: null,
  lastSeenAt: null,
};

export interface HostLife {
  createdAt: Date;
  now: Date;
  runs: HostKind["runs"];
  /** The newest version of the Lightkeeper agent. */
  newest: string;
  /** Always enrolled, online and in sync, such as lighthouses. */
  isSteady: boolean;
}

const later = (at: Date, ms: number) => new Date(at.getTime() + ms);
const atMost = (at: Date, limit: Date) => (at < limit ? at : limit);
const atLeast = (at: Date, limit: Date) => (at > limit ? at : limit);

export function generateHostState(random: Random, life: HostLife): HostState {
  const { createdAt, now, isSteady } = life;
  if (!isSteady && random.chance(0.1)) return NEVER_ENROLLED;
  const enrolledAt = atMost(later(createdAt, random.below(90 * MINUTE_MS)), now);
  const enrolled = { enrolled_at: enrolledAt, ...agentOf(random, life) };
  if (!isSteady && random.chance(0.045))
    return blockedState(enrolled, atLeast(seenLongAgo(random, now), enrolledAt));
  const expiring = isSteady ? undefined : generateExpiring(random, enrolledAt, now);
  if (expiring) return { ...enrolled, ...expiring, is_blocked: false, is_online: false, is_drifted: false };
  const longAgo = seenLongAgo(random, now);
  const isOnline = isSteady || longAgo < enrolledAt || random.chance(0.8);
  const lastSeenAt = isOnline ? later(now, -random.below(MINUTE_MS)) : longAgo;
  const issuedAt = atLeast(later(lastSeenAt, -random.below(RENEWED_AFTER_DAYS * DAY_MS)), enrolledAt);
  return {
    ...enrolled,
    is_blocked: false,
    is_online: isOnline,
    is_drifted: !isSteady && isOnline && random.chance(0.06),
    certificate_expires_at: later(issuedAt, CERTIFICATE_DAYS * DAY_MS),
    lastSeenAt: atLeast(lastSeenAt, enrolledAt),
  };
}

export const issuedAtOf = ({ certificate_expires_at: at }: Pick<HostState, "certificate_expires_at">) =>
  at && later(at, -CERTIFICATE_DAYS * DAY_MS);

type Enrolled = Pick<HostState, "enrolled_at" | "agent_name" | "agent_version">;

const blockedState = (enrolled: Enrolled, lastSeenAt: Date): HostState => ({
  ...enrolled,
  is_blocked: true,
  is_online: false,
  is_drifted: false,
  certificate_expires_at: null,
  lastSeenAt,
});

/** Between two hours and half a year ago, more often recently. */
function seenLongAgo(random: Random, now: Date): Date {
  const span = Math.log((RENEWED_AFTER_DAYS * DAY_MS) / OFFLINE_AFTER_MS);
  return later(now, -OFFLINE_AFTER_MS * Math.exp(random.next() * span));
}

/** Some hosts have been offline for so long that their certificate expires soon. */
function generateExpiring(random: Random, enrolledAt: Date, now: Date) {
  const expiresAt = later(now, random.below((EXPIRING_DAYS - 1) * DAY_MS) + HOUR_MS);
  const issuedAt = later(expiresAt, -CERTIFICATE_DAYS * DAY_MS);
  if (issuedAt < enrolledAt || !random.chance(0.2)) return undefined;
  const lastSeenAt = later(issuedAt, random.below(RENEWED_AFTER_DAYS * DAY_MS));
  return { certificate_expires_at: expiresAt, lastSeenAt };
}

function agentOf(random: Random, { runs, newest }: HostLife) {
  const { name, older } = agents[runs];
  const isNewest = runs === "agent" && random.chance(0.75);
  return { agent_name: name, agent_version: isNewest ? newest : random.pick(older) };
}
