import type { FastifyRequest } from "fastify";

const UNACCEPTABLE = /;\s*q=0(\.0*)?$/i;

/** The encodings that the client accepts for the response, without those that it rejects. */
export const acceptedEncodings = ({ headers }: FastifyRequest): string[] =>
  (headers["accept-encoding"]?.toString() ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !UNACCEPTABLE.test(part))
    .map((part) => part.split(";", 1)[0] ?? "");
