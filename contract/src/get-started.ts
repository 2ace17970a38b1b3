import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";

export const GetStarted = z.strictObject({
  hasNetwork: z.boolean(),
  hasLighthouse: z.boolean(),
  hasEnrolledLighthouse: z.boolean(),
  /** Lighthouses and blocked hosts do not count. */
  enrolledHostCount: z.number(),
  /** A host that is no lighthouse has reported a tunnel to another. */
  hasTunnel: z.boolean(),
});
export type GetStarted = z.output<typeof GetStarted>;

export const getGetStarted = endpoint({
  method: "GET",
  path: "/v1/get-started",
  noun: "get-started",
  summary: "How far an organization has come with its first network",
  access: access.session,
  answer: data(GetStarted),
});
