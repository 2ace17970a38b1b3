import * as z from "zod/mini";
import { id, instant } from "../fields.ts";

export const waitingHostFields = {
  id: id("host"),
  name: z.string(),
  isOnline: z.boolean(),
  lastSeenAt: z.nullable(instant()),
};

/** The hosts that a step of a change waits for; the first 100 by name. */
export const waitingFor = <Host extends z.ZodMiniType>(host: Host) =>
  z.strictObject({ hostCount: z.number(), hosts: z.array(host) });
