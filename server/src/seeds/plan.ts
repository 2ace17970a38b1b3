import type { History } from "./history.ts";
import type { Random } from "./random.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";

export interface Plan {
  organizationID: string;
  /** Decides everything except IDs: the same for every organization. */
  random: Random;
  ids: Random;
  history: History;
  /** When the organization was created. */
  startAt: Date;
  now: Date;
}

/** Objects are created one minute apart. */
export const minutesAfterStart = ({ startAt }: Plan, minutes: number): Date =>
  new Date(startAt.getTime() + minutes * MINUTE_MS);
