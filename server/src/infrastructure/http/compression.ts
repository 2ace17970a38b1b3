import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { acceptedEncodings } from "./accepted-encodings.ts";

/** Most responses are far smaller: for them, sending takes less time than compressing. */
const COMPRESSED_MIN_LENGTH = 512 * 1024;

const compress = promisify(gzip);

/**
 * Compresses large responses. Small ones stay as they are also because their compressed size could reveal a secret
 * in them to an attacker who chooses another part of them.
 */
export function compressLargeResponses(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (typeof payload !== "string" || payload.length < COMPRESSED_MIN_LENGTH) return payload;
    void reply.header("vary", [reply.getHeader("vary") ?? [], "accept-encoding"].flat().join(", "));
    if (reply.hasHeader("content-encoding") || !acceptedEncodings(request).includes("gzip")) return payload;
    void reply.header("content-encoding", "gzip").removeHeader("content-length");
    return compress(payload, { level: constants.Z_BEST_SPEED });
  });
}
