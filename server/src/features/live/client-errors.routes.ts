import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { limitByIP } from "../../infrastructure/http/rate-limit.ts";
import type { Routes } from "../../infrastructure/http/route.ts";

/** What a browser says may hold an address, and an address the token of a magic link. */
const withoutTokens = (text: string | undefined) => text?.replace(/(token=)[^\s&#"')]+/gi, "$1[removed]");

/** "The team has been notified": what went wrong in a console stands in the server's log. */
export function serveClientErrors(routes: Routes, ctx: Context): void {
  routes.writeUnaudited(
    contract.reportClientError,
    ({ body }) => {
      const { message, stack, path, ...rest } = body;
      const clientError = {
        ...rest,
        message: withoutTokens(message),
        stack: withoutTokens(stack),
        path: path?.split(/[?#]/, 1)[0],
      };
      ctx.log.error({ clientError }, "error in the console");
      return Promise.resolve({});
    },
    { limits: ({ ip }) => [limitByIP(ctx.config, "client-errors", ip, 60)] },
  );
}
