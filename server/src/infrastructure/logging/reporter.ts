import { createStackParser, createTransport, Scope } from "@sentry/core";
import { nodeStackLineParser, ServerRuntimeClient } from "@sentry/core/server";
import type { Config } from "../config/config.ts";

export interface Reporter {
  error(error: unknown, requestID?: string): void;
  flush(): Promise<void>;
}

const disabledReporter: Reporter = { error: () => undefined, flush: () => Promise.resolve() };

/** Sends unexpected errors to Sentry if a DSN is set; they are always logged too. */
export function createReporter(
  { sentryDSN, appEnv }: Pick<Config, "sentryDSN" | "appEnv">,
  release: string,
): Reporter {
  if (!sentryDSN) return disabledReporter;
  const client = new ServerRuntimeClient({
    dsn: sentryDSN,
    environment: appEnv,
    release,
    platform: "node",
    integrations: [],
    stackParser: createStackParser(nodeStackLineParser()),
    transport: (options) =>
      createTransport(options, async ({ body }) => {
        const response = await fetch(options.url, {
          method: "POST",
          body: body as string | Uint8Array<ArrayBuffer>,
        });
        return { statusCode: response.status };
      }),
  });
  client.init();
  return {
    error(error, requestID) {
      const scope = new Scope();
      if (requestID) scope.setTag("requestID", requestID);
      client.captureException(error, {}, scope);
    },
    flush: async () => void (await client.flush(2000)),
  };
}
