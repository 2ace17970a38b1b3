import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "./endpoint.ts";
import { id, instant } from "./fields.ts";

const noun = "networks";

export const caRotationSteps = ["TRUST", "REISSUE", "DONE"] as const;

export const CaRotation = z.strictObject({
  networkID: id("network"),
  oldCAID: id("ca"),
  newCAID: id("ca"),
  /** TRUST: hosts learn to trust the new one. REISSUE: they get certificates of it. DONE: the old one is retired. */
  step: z.enum(caRotationSteps),
  /** Hosts that are offline are not waited for in this step. */
  isForced: z.boolean(),
  startedAt: instant(),
  stepStartedAt: instant(),
  /** Hosts that have not done their part of the step; the first hundred by name. */
  waitingFor: z.strictObject({
    hostCount: z.number(),
    hosts: z.array(
      z.strictObject({
        id: id("host"),
        name: z.string(),
        isOnline: z.boolean(),
        lastSeenAt: z.nullable(instant()),
      }),
    ),
  }),
});
export type CaRotation = z.output<typeof CaRotation>;

export const rotateCa = endpoint({
  method: "POST",
  path: "/v1/networks/{networkID}/rotate-ca",
  noun,
  summary: "Replace a network's certificate authority, or go on without the hosts that are offline",
  access: withRecentFactor(access.session),
  body: z.strictObject({
    /** On a rotation under way: its present step no longer waits for hosts that are offline. */
    force: z._default(z.optional(z.boolean()), false),
  }),
  answer: data(CaRotation),
});

export const getCaRotation = endpoint({
  method: "GET",
  path: "/v1/networks/{networkID}/rotation",
  noun,
  summary: "How far the rotation of a network's certificate authority has come, or what came of the last one",
  access: access.session,
  answer: data(z.nullable(CaRotation)),
});
