/** Web servers that reach databases, for tests of changes of access. */
import { createRole, type FirewallRule, type HostV2CreateInput, type Role } from "@lightkeeper/contract";
import { markEnrolled } from "./enrolled-hosts.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import type { Session, TestServer } from "./server.ts";

export const allowTcp = (port: number, more: Partial<FirewallRule> = {}) => ({
  protocol: "TCP" as const,
  portRange: { from: port, to: port },
  ...more,
});

export interface DatabaseFleet extends Fleet {
  /** Two web servers, which reach the two databases on port 5432, and a laptop without a role. */
  web: Role;
  database: Role;
  webIDs: string[];
  databaseIDs: string[];
  laptopID: string;
  addEnrolled: (host?: Partial<HostV2CreateInput>) => Promise<string>;
}

export async function createDatabaseFleet(server: TestServer, owner: Session): Promise<DatabaseFleet> {
  const fleet = await createFleet(server, owner);
  const web = await owner.call(createRole, { body: { name: "Web" } });
  const firewallRules = [allowTcp(5432, { allowedRoleID: web.id })];
  const database = await owner.call(createRole, { body: { name: "Database", firewallRules } });
  const addEnrolled = async (host: Partial<HostV2CreateInput> = {}) => {
    const { id } = await fleet.add(host);
    await markEnrolled(server, id);
    return id;
  };
  const add = async (name: string, roleID: string) => addEnrolled({ name, roleID });
  return {
    ...fleet,
    web,
    database,
    webIDs: [await add("web-1", web.id), await add("web-2", web.id)],
    databaseIDs: [await add("db-1", database.id), await add("db-2", database.id)],
    laptopID: await addEnrolled({ name: "laptop" }),
    addEnrolled,
  };
}
