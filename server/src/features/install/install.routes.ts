import type { FastifyInstance } from "fastify";
import type { Context } from "../../infrastructure/context/context.ts";
import { installScript } from "./install-script.ts";

/** The script depends on the server's configuration only, not on the request. */
export function serveInstallScript(http: FastifyInstance, { config }: Context): void {
  const script = installScript(config.appURL);
  http.get("/install.sh", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("text/x-shellscript; charset=utf-8").send(script),
  );
}
