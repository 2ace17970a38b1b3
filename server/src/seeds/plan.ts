import type { History } from "./history.ts";
import type { Random } from "./random.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";

/** What everything in the organization is made with. */
export interface Plan {
  organizationID: string;
  /** Decides everything but the ids: the same for every organization. */
  random: Random;
  ids: Random;
  history: History;
  /** When the organization began. */
  startAt: Date;
  now: Date;
}

/** Things are made one after the other, a minute each. */
export const minutesAfterStart = ({ startAt }: Plan, minutes: number): Date =>
  new Date(startAt.getTime() + minutes * MINUTE_MS);
