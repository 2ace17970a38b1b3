/** Signing in for a device: the calls of the page that a device's login URL opens. */
import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { instant, text, token } from "./fields.ts";
import { oidcCallback, oidcStart, signInErrors } from "./oidc-provider.ts";

const noun = "agents";

export const getEndpointSignIn = endpoint({
  method: "GET",
  path: "/v1/endpoint-auth/sign-in",
  noun: noun,
  summary: "What a device's person is asked to sign in for",
  access: access.public,
  query: z.strictObject({ loginToken: token() }),
  answer: data(
    z.strictObject({
      /** Null: a new device, which may go to any organization that takes devices. */
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
  summary: "Begin to sign in for a device",
  access: access.public,
  body: z.strictObject({
    loginToken: token(),
    /** An organization's ID, a domain that it has verified, or an address there; not needed for a known device. */
    organization: z.optional(text(1, 254)),
  }),
  answer: data(z.strictObject(oidcStart)),
  errors: ["ERR_OIDC_NOT_CONFIGURED", "ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyEndpointSignIn = endpoint({
  method: "POST",
  path: "/v1/endpoint-auth/verify",
  noun: noun,
  summary: "Finish signing in for a device: it may enroll or stay, or waits for an administrator's approval",
  access: access.public,
  body: oidcCallback,
  answer: data(
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
  errors: [...signInErrors, "ERR_LIMIT_EXCEEDED", "ERR_NETWORK_FULLY_ALLOCATED", "ERR_HOST_BLOCKED"],
});
