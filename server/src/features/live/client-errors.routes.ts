import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { limitByIP } from "../../infrastructure/http/rate-limit.ts";
import type { Routes } from "../../infrastructure/http/route.ts";

/** Error messages may contain URLs with magic link tokens. */
const redactTokens = (text: string | undefined) => text?.replace(/(token=)[^\s&#"')]+/gi, "$1[removed]");

/** Logs errors that consoles report. */
export function serveClientErrors(routes: Routes, ctx: Context): void {
  routes.writeUnaudited(
    contract.reportClientError,
    ({ body }) => {
      const { message, stack, path, ...rest } = body;
      const clientError = {
        ...rest,
        message: redactTokens(message),
        stack: redactTokens(stack),
        path: path?.split(/[?#]/, 1)[0],
      };
      ctx.log.error({ clientError }, "console error");
      return Promise.resolve({});
    },
    { limits: ({ ip }) => [limitByIP(ctx.config, "client-errors", ip, 60)] },
  );
}
