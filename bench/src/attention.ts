/** What needs attention, with the counts of hosts in every state, in an organization of 100,000 hosts. */
import { type Figure, median } from "./figure.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

const HOSTS = 100_000;
/** More means that the machine is too busy for the other figures. */
const BARE_MS_LIMIT = 5;
const ROUNDS = 25;
const MS_LIMIT = 30;

async function measure({ request }: Organization, what: string, path = "/v1/attention"): Promise<Figure> {
  const times: number[] = [];
  let size = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const { serverMs, body } = await request("GET", path);
    size = (body.data as { items: unknown[] }).items.length;
    // The first request prepares the statements.
    if (round > 0) times.push(serverMs);
  }
  return {
    what: `attention ${what}`,
    detail: `${size} items, server time, median of ${ROUNDS}`,
    value: median(times),
    unit: " ms",
    limit: MS_LIMIT,
    limitIs: "at most",
  };
}

/** What a single statement takes, for comparison. */
async function measureStatement(system: System): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await system.query("select 1");
    times.push(performance.now() - startedAt);
  }
  return {
    what: "a bare SELECT",
    detail: `median of ${ROUNDS}`,
    value: median(times),
    unit: " ms",
    limit: BARE_MS_LIMIT,
    limitIs: "at most",
  };
}

/** All lighthouses go offline, and every hundredth host stops renewing its certificate. */
async function cause(system: System, { id }: Organization): Promise<void> {
  await system.query("update hosts set is_online = false where organization_id = $1 and is_lighthouse", [id]);
  await system.query(
    `update hosts set certificate_expires_at = now() + interval '20 days'
     where organization_id = $1 and is_enrolled and hashtext(id) % 100 = 0`,
    [id],
  );
  await system.settle();
}

export async function attention(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const organization = await system.createOrganization(HOSTS);
    await system.settle();
    const [network] = await system.query<{ id: string }>(
      "select id from networks where organization_id = $1 order by host_count desc limit 1",
      [organization.id],
    );
    const plain = "/v1/attention?filter.isLighthouse=false&filter.isRelay=false";
    const figures = [
      await measureStatement(system),
      await measure(organization, "of 100,000 hosts"),
      await measure(organization, "of 100,000 hosts without lighthouses and relays", plain),
      await measure(organization, "of the largest network", `${plain}&filter.networkID=${network?.id}`),
    ];
    await cause(system, organization);
    figures.push(await measure(organization, "with offline lighthouses and 1,000 expiring certificates"));
    return figures;
  } finally {
    await system.stop();
  }
}
