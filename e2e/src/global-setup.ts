/** Starts one server for all tests; tests that stop servers start their own. */
import type { TestProject } from "vitest/node";
import { startServer, temporaryDataDir } from "./server-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    server: { url: string; dataDir: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { dataDir, remove } = temporaryDataDir();
  // The tests' identity providers and webhook receivers are on loopback.
  const environment = { OIDC_ALLOWED_HOSTS: "127.0.0.1", WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" };
  const server = await startServer({ dataDir, environment });
  project.provide("server", { url: server.url, dataDir });
  return async () => {
    await server.stop();
    remove();
  };
}
