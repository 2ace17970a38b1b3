/** Creating a host with an automatic address, in networks of 100 and 100,000 hosts. */
import { compare, toFigure } from "./comparison.ts";
import type { Figure } from "./figure.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

const ROUNDS = 60;
const LIMIT = 1.5;
/** Half of the organization's hosts are in its first network. */
const [SMALL, LARGE] = [200, 200_000];

export interface Network {
  organization: Organization;
  id: string;
  /** A host near the lowest address, and that address. */
  low: { id: string; address: string };
}

async function firstNetwork(system: System, organization: Organization): Promise<Network> {
  const [low] = await system.query<{ id: string; network_id: string; address: string }>(
    `select hosts.id, network_id, host(ip_address) as address from hosts
      join networks on networks.id = network_id
      where hosts.organization_id = $1 and networks.name = 'Production' and not is_lighthouse and not is_relay
      order by ip_address offset 20 limit 1`,
    [organization.id],
  );
  if (!low) throw new Error("The network has no hosts");
  return { organization, id: low.network_id, low };
}

let createdCount = 0;

async function create({ organization, id }: Network) {
  const body = { name: `benchmark-${++createdCount}`, networkID: id };
  const response = await organization.request("POST", "/v2/hosts", body);
  const host = response.body.data as { id: string; ipAddresses: string[] };
  return { serverMs: response.serverMs, id: host.id, address: host.ipAddresses[0] };
}

/** After the last used address. */
export const append = async (network: Network) => (await create(network)).serverMs;

/** In a gap near the start, where a host was deleted. */
export async function refill(network: Network): Promise<number> {
  await network.organization.request("DELETE", `/v1/hosts/${network.low.id}`);
  const { serverMs, id, address } = await create(network);
  if (address !== network.low.address)
    throw new Error(`The host got ${address}, but the lowest free address is ${network.low.address}`);
  network.low.id = id;
  return serverMs;
}

export async function allocation(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const large = await firstNetwork(system, await system.createOrganization(LARGE));
    const small = await firstNetwork(system, await system.createOrganization(SMALL));
    await system.settle();
    const compared = async (what: string, work: (network: Network) => Promise<number>) =>
      toFigure(
        what,
        await compare(
          () => work(small),
          () => work(large),
          { rounds: ROUNDS, limit: LIMIT },
        ),
      );
    return [
      await compared("to create a host after the last address", append),
      await compared("to create a host in a gap", refill),
    ];
  } finally {
    await system.stop();
  }
}
