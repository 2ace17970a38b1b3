/** Networks and hosts for tests. */
import { createHostV2, createNetwork, type HostV2, type HostV2CreateInput } from "@lightkeeper/contract";
import type { Session, TestServer } from "./server.ts";

let objectCount = 0;

export interface Fleet {
  networkID: string;
  add: (host?: Partial<HostV2CreateInput>) => Promise<HostV2>;
  /** Inserts hosts named "many 1" and so on without the API, starting at the `first` address of the network. */
  addMany: (count: number, first?: number) => Promise<void>;
}

/** Creates a network and removes the host limit of its organization. */
export async function createFleet(server: TestServer, owner: Session, cidr?: string): Promise<Fleet> {
  await server.query("update organizations set plan = 'pro' where id = $1", [owner.organizationID]);
  const { id } = await owner.call(createNetwork, {
    body: { name: `Fleet ${++objectCount}`, ...(cidr !== undefined && { cidr }) },
  });
  return {
    networkID: id,
    add: (host = {}) =>
      owner.call(createHostV2, { body: { name: `host-${++objectCount}`, networkID: id, ...host } }),
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
