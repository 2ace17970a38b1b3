/** The memory that the server needs for each host in the access model of an organization. */
import {
  type Client,
  createClient,
  listHostsV2,
  listRoles,
  PAGE_SIZE_MAX,
  updateRole,
} from "@lightkeeper/contract";
import { createOwner, logInOwner, seed } from "@lightkeeper/server/seeds";
import type { FleetSystem } from "../fleet-system.ts";

const HOSTS = 30_000;
/** Large pages, whose garbage makes Node.js collect all of it. */
const SAMPLES = 200;

async function createOrganization({ ctx, server }: FleetSystem): Promise<Client> {
  const owner = await createOwner(ctx, { email: "owner-of-model@example.com", now: ctx.clock() });
  await seed(ctx, { organizationID: owner.organizationID, hosts: HOSTS, now: ctx.clock() });
  const { userToken, authToken } = await logInOwner(ctx, owner, "benchmark");
  return createClient({ baseURL: server().url, authorization: () => `Bearer ${userToken} ${authToken}` });
}

async function readHeapKibibytes(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const bytes = Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1]);
  if (!Number.isFinite(bytes)) throw new Error("The server has no metric nodejs_heap_size_used_bytes");
  return bytes / 1024;
}

/** The smallest heap between requests: what is left after garbage was collected. */
async function findUsedHeap(url: string, call: Client): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await call(listHostsV2, { query: { pageSize: PAGE_SIZE_MAX } });
    samples.push(await readHeapKibibytes(url));
  }
  return Math.min(...samples);
}

/** Returns KiB. A change of a role loads the model, which stays in memory. */
export async function measureModelMemory(system: FleetSystem): Promise<number> {
  const { url } = system.server();
  const call = await createOrganization(system);
  const { data: roles } = await call(listRoles, { query: { pageSize: 25 } });
  const role = roles.find(({ name }) => name === "Web server");
  if (!role) throw new Error("The organization has no role Web server");
  const before = await findUsedHeap(url, call);
  await call(updateRole, { params: { roleID: role.id }, body: { firewallRules: [{ protocol: "ICMP" }] } });
  return Math.max(0, (await findUsedHeap(url, call)) - before) / HOSTS;
}
