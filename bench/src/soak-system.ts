/** Two servers behind a load balancer, with two organizations and their agents. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, readConfig } from "@lightkeeper/server/app";
import { type Fleet, startFleet } from "./fleet-client.ts";
import { type CloseFunctions, prepareOrganization, type Prepared, startDatabase } from "./fleet-system.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { SoakServers } from "./soak-servers.ts";

const AGENTS = 200;
const ENROLL_CONCURRENCY = 8;
/** As in deploy/high-availability/lightkeeper.env. */
const GRACE_SECONDS = 5;

export interface SoakSystem {
  servers: SoakServers;
  /** Of the load balancer. */
  url: string;
  /** The first one has most of the agents. */
  organizations: [Prepared, Prepared];
  fleet: Fleet;
  /** The hosts with an agent in the first organization. */
  hostIDs: string[];
}

export async function startSoakSystem(open: CloseFunctions): Promise<SoakSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-soak-"));
  open.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const database = await startDatabase(dataDir);
  open.push(() => database.stop());
  const { connectionString } = database;
  const environment = { SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) };
  const servers = await SoakServers.start({ dataDir, environment });
  open.push(() => servers.stop());
  const balancer = await startLoadBalancer(servers.urls);
  open.push(() => balancer.stop());
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString, version: "1.2.3" });
  open.push(() => ctx.dispose());
  const { url } = balancer;
  const organizations: [Prepared, Prepared] = [
    await prepareOrganization(ctx, { url, size: AGENTS }),
    await prepareOrganization(ctx, { url, size: 1, email: "other@example.com" }),
  ];
  const fleet = startFleet();
  open.push(() => fleet.stop());
  const [first, second] = organizations;
  const hostIDs = await fleet.enroll({ url, codes: first.codes, concurrency: ENROLL_CONCURRENCY });
  await fleet.enroll({ url, codes: second.codes, concurrency: 1 });
  return { servers, url, organizations, fleet, hostIDs };
}
