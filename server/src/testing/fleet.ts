/** Networks and hosts for tests, made through the API. */
import { createHostV2, createNetwork, type HostV2, type HostV2CreateInput } from "@lightkeeper/contract";
import type { Session, TestServer } from "./server.ts";

let made = 0;

export interface Fleet {
  networkID: string;
  add: (host?: Partial<HostV2CreateInput>) => Promise<HostV2>;
  /** So many at once, "many 1" and on, from the network's `first`th address upwards, past the API. */
  addMany: (count: number, first?: number) => Promise<void>;
}

/** A network of its own; its organization is on a plan without a limit. */
export async function createFleet(server: TestServer, owner: Session, cidr?: string): Promise<Fleet> {
  await server.query("update organizations set plan = 'pro' where id = $1", [owner.organizationID]);
  const { id } = await owner.call(createNetwork, {
    body: { name: `Fleet ${++made}`, ...(cidr !== undefined && { cidr }) },
  });
  return {
    networkID: id,
    add: (host = {}) =>
      owner.call(createHostV2, { body: { name: `host-${++made}`, networkID: id, ...host } }),
    addMany: async (count, first = 1) => {
      await server.query(
        `insert into hosts (id, organization_id, network_id, name, ip_address, static_addresses, listen_port,
           is_lighthouse, is_relay, tags, config_overrides, search_text, created_at, modified_at)
         select 'host-' || substr(translate(upper(md5(networks.id || n)), '0189', 'GHIJ'), 1, 26),
           organization_id, id, 'many ' || n, set_masklen(cidr::inet, 32) + n, '{}', 0,
           false, false, '{}', '[]', 'many ' || n, now(), now()
         from networks, generate_series($2::int, $2::int + $3::int - 1) n where networks.id = $1`,
        [id, first, count],
      );
    },
  };
}
