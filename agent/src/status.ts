/** The status that `run` writes to a file and `status` shows. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { escapeLine } from "@lightkeeper/contract/characters";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "@lightkeeper/contract/durations";
import type { State, StateDirectory } from "./state.ts";

export interface RunStatus {
  readonly agentVersion: string;
  readonly startedAt: string;
  readonly nebulaVersion: string | null;
  readonly nebulaRunningSince: string | null;
  /** SHA-256 of the configuration that nebula runs, as sent by the server. */
  readonly configHash: string | null;
  /** Why nebula doesn't run the server's configuration. */
  readonly nebulaProblem: string | null;
  readonly lastContactAt: string | null;
  readonly serverProblem: string | null;
  /** How far this machine's clock is behind the server's. */
  readonly clockOffsetSeconds: number;
}

const STATUS = "status.json";

export function writeStatus(state: StateDirectory, status: RunStatus): void {
  state.write(STATUS, JSON.stringify(status));
}

export function readStatus(state: StateDirectory): RunStatus | undefined {
  try {
    return JSON.parse(readFileSync(state.path(STATUS), "utf8"));
  } catch {
    return undefined;
  }
}

export function describeEnrollment({ host, network }: State): string {
  const addresses = host.ipAddresses.length > 0 ? host.ipAddresses : [host.ipAddress];
  return escapeLine(`${host.name} (${addresses.join(", ")}) in ${network.name}`);
}

/** One line, and one more for each problem. */
export function describeStatus(
  state: State,
  status: RunStatus | undefined,
  isRunning: boolean,
  now: Date,
): string {
  const enrolled = `Enrolled as ${describeEnrollment(state)}`;
  if (!isRunning || !status)
    return `${enrolled}\nThe agent isn't running. To start it: lightkeeper-agent run`;
  const isCurrent = isDeepStrictEqual(state.intended, state.lastGood);
  const line = [
    enrolled,
    describeNebula(status),
    status.nebulaRunningSince === null
      ? undefined
      : isCurrent
        ? "configuration up to date"
        : "configuration out of date",
    status.lastContactAt === null
      ? "never connected to the server"
      : `last contact ${describeAge(new Date(status.lastContactAt), now)} ago`,
  ];
  const problems = [status.nebulaProblem, status.serverProblem, describeClock(status.clockOffsetSeconds)];
  return [line.filter(Boolean).join(" · "), ...problems.filter(Boolean)].join("\n");
}

function describeNebula({ nebulaVersion, nebulaRunningSince }: RunStatus): string {
  const name = nebulaVersion === null ? "nebula" : `nebula ${nebulaVersion}`;
  return nebulaRunningSince === null ? `${name} not running` : `${name} running since ${nebulaRunningSince}`;
}

function describeClock(offsetSeconds: number): string | undefined {
  if (offsetSeconds === 0) return undefined;
  const side = offsetSeconds > 0 ? "behind" : "ahead of";
  return (
    `This machine's clock is ${describeSeconds(Math.abs(offsetSeconds))} ${side} the server's. ` +
    "Set the clock: certificates are only valid between two dates."
  );
}

function describeAge(then: Date, now: Date): string {
  return describeSeconds(Math.max(0, Math.round((now.getTime() - then.getTime()) / 1000)));
}

function describeSeconds(seconds: number): string {
  if (seconds < 2 * MINUTE_SECONDS) return `${seconds} s`;
  if (seconds < 2 * HOUR_SECONDS) return `${Math.round(seconds / MINUTE_SECONDS)} min`;
  return seconds < 2 * DAY_SECONDS
    ? `${Math.round(seconds / HOUR_SECONDS)} h`
    : `${Math.round(seconds / DAY_SECONDS)} days`;
}
