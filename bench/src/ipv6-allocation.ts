/** Creating a host with an automatic address in an IPv6 /64, compared with an IPv4 /16, each with 20,000 hosts. */
import { append, type Network, refill } from "./allocation.ts";
import { compare, toFigure } from "./comparison.ts";
import type { Figure } from "./figure.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

const ROUNDS = 100;
const LIMIT = 1.2;
const HOSTS = 20_000;

async function createNetwork(
  system: System,
  organization: Organization,
  network: { certVersion: 1 | 2; cidrs: string[] },
): Promise<Network> {
  const name = `Version ${network.certVersion}`;
  const { body } = await organization.request("POST", "/v2/networks", { name, ...network });
  const { id } = body.data as { id: string };
  const [column, next] =
    network.certVersion === 1 ? ["cidr", "next_address"] : ["ipv6_cidr", "next_ipv6_address"];
  await system.query(
    `insert into hosts (id, organization_id, network_id, name, ip_address, ipv6_address, static_addresses,
       listen_port, is_lighthouse, is_relay, tags, config_overrides, search_text, created_at, modified_at)
     select 'host-' || substr(translate(upper(md5(networks.id || n)), '0189', 'GHIJ'), 1, 26), organization_id,
       id, 'many ' || n, ${next} + n, case when cert_version = 2 then ${next} + n end, '{}', 0, false, false,
       '{}', '[]', 'many ' || n, now(), now()
     from networks, generate_series(0, $2::int - 1) n where networks.id = $1`,
    [id, HOSTS],
  );
  await system.query(`update networks set ${next} = ${next} + $2::int where id = $1`, [id, HOSTS]);
  const [low] = await system.query<{ id: string; address: string }>(
    `select hosts.id, host(ip_address) as address from hosts join networks on networks.id = network_id
      where network_id = $1 and ip_address = set_masklen(${column}::inet, masklen(ip_address)) + 1`,
    [id],
  );
  if (!low) throw new Error("The network has no hosts");
  return { id, organization, low };
}

export async function ipv6Allocation(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const organization = await system.createOrganization(200);
    const ipv4 = await createNetwork(system, organization, { certVersion: 1, cidrs: ["10.77.0.0/16"] });
    const ipv6 = await createNetwork(system, organization, { certVersion: 2, cidrs: ["fd77::/64"] });
    await system.settle();
    const compared = async (what: string, work: (network: Network) => Promise<number>) =>
      toFigure(
        what,
        await compare(
          () => work(ipv4),
          () => work(ipv6),
          { rounds: ROUNDS, limit: LIMIT },
        ),
      );
    return [
      await compared("to create a host after the last address of a /64, compared with a /16", append),
      await compared("to create a host in a gap of a /64, compared with a /16", refill),
    ];
  } finally {
    await system.stop();
  }
}
