import { endpoints } from "@lightkeeper/contract/endpoints";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors/api-error.ts";

/** Responds with 405 and the allowed methods to other methods of an existing path. */
export function rejectOtherMethods(http: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of endpoints.values()) {
    const url = path.replace(/\{\w+\}/g, ":id");
    methodsOf.set(url, (methodsOf.get(url) ?? new Set()).add(method));
  }
  for (const [url, methods] of methodsOf) {
    const otherMethods = (["GET", "POST", "PUT", "DELETE", "PATCH"] as const).filter(
      (method) => !methods.has(method),
    );
    http.route({
      method: otherMethods,
      url,
      onRequest: async (_request, reply) => {
        void reply.header("allow", [...methods].join(", "));
        throw new ApiError("ERR_METHOD_NOT_ALLOWED");
      },
      handler: (_request, reply) => reply.callNotFound(),
    });
  }
}
