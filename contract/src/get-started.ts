import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";

export const GetStarted = z.strictObject({
  hasNetwork: z.boolean(),
  hasLighthouse: z.boolean(),
  hasEnrolledLighthouse: z.boolean(),
  /** Without lighthouses and blocked hosts. */
  enrolledHostCount: z.number(),
  /** Whether a host that isn't a lighthouse has reported a tunnel to another one. */
  hasTunnel: z.boolean(),
});
export type GetStarted = z.output<typeof GetStarted>;

export const getGetStarted = endpoint({
  method: "GET",
  path: "/v1/get-started",
  noun: "get-started",
  summary: "Get the organization's progress with its first network",
  access: access.session,
  response: data(GetStarted),
});
