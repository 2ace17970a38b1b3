import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "../endpoint.ts";
import { id, instant } from "../fields.ts";
import { waitingFor, waitingHostFields } from "./waiting-hosts.ts";

const noun = "networks";

export const caRotationSteps = ["TRUST", "REISSUE", "DONE"] as const;

export const CaRotation = z.strictObject({
  networkID: id("network"),
  oldCAID: id("ca"),
  newCAID: id("ca"),
  /** TRUST: hosts get the new CA. REISSUE: hosts get certificates from it. DONE: the old CA is retired. */
  step: z.enum(caRotationSteps),
  /** Whether this step skips offline hosts. */
  isForced: z.boolean(),
  startedAt: instant(),
  stepStartedAt: instant(),
  waitingFor: waitingFor(z.strictObject(waitingHostFields)),
});
export type CaRotation = z.output<typeof CaRotation>;

export const rotateCa = endpoint({
  method: "POST",
  path: "/v1/networks/{networkID}/rotate-ca",
  noun,
  summary: "Rotate a network's certificate authority, or skip offline hosts in the current step",
  access: withRecentFactor(access.session),
  body: z.strictObject({
    /** For a rotation in progress: skip offline hosts in the current step. */
    force: z._default(z.optional(z.boolean()), false),
  }),
  response: data(CaRotation),
  errors: ["ERR_GUARANTEE_VIOLATED"],
});

export const getCaRotation = endpoint({
  method: "GET",
  path: "/v1/networks/{networkID}/rotation",
  noun,
  summary: "Get the current or last rotation of a network's certificate authority",
  access: access.session,
  response: data(z.nullable(CaRotation)),
});
