/** The endpoints of the page on which people sign in for a device. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { instant, text, token } from "../fields.ts";
import { oidcCallback, oidcStart, signInErrors } from "./oidc-provider.ts";

const noun = "agents";

export const getEndpointSignIn = endpoint({
  method: "GET",
  path: "/v1/endpoint-auth/sign-in",
  noun: noun,
  summary: "Get the device sign-in that a login URL belongs to",
  access: access.public,
  query: z.strictObject({ loginToken: token() }),
  response: data(
    z.strictObject({
      /** Null for a new device, whose organization isn't known yet. */
      device: z.nullable(z.strictObject({ name: z.string(), organizationName: z.string() })),
      /** The device shows the same code. */
      verificationCode: z.string(),
      state: z.enum(["open", "pendingApproval", "rejected", "completed"]),
    }),
  ),
});

export const startEndpointSignIn = endpoint({
  method: "POST",
  path: "/v1/endpoint-auth/start",
  noun: noun,
  summary: "Start signing in for a device",
  access: access.public,
  body: z.strictObject({
    loginToken: token(),
    /** An organization's ID, its verified domain, or an email address in that domain; only for new devices. */
    organization: z.optional(text(1, 254)),
  }),
  response: data(z.strictObject(oidcStart)),
  errors: ["ERR_OIDC_NOT_CONFIGURED", "ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyEndpointSignIn = endpoint({
  method: "POST",
  path: "/v1/endpoint-auth/verify",
  noun: noun,
  summary:
    "Finish signing in for a device; the device can then connect or waits for an administrator's approval",
  access: access.public,
  body: oidcCallback,
  response: data(
    z.discriminatedUnion("state", [
      z.strictObject({
        state: z.literal("completed"),
        email: z.string(),
        deviceName: z.string(),
        validUntil: instant(),
      }),
      z.strictObject({ state: z.literal("pendingApproval"), email: z.string(), expiresAt: instant() }),
    ]),
  ),
  errors: [
    ...signInErrors,
    "ERR_LIMIT_EXCEEDED",
    "ERR_NETWORK_FULLY_ALLOCATED",
    "ERR_HOST_BLOCKED",
    "ERR_GUARANTEE_VIOLATED",
  ],
});
