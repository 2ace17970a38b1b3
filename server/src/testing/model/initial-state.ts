/** Two organizations with members, as the server creates them. */
import { listAuditLogs, listRoles } from "@lightkeeper/contract";
import { joinAs } from "../members.ts";
import type { Session } from "../server.ts";
import type { Driver } from "./driver.ts";
import type { ModelMember, Organization, State } from "./state.ts";

async function readOrganization(owner: Session, people: readonly ModelMember[]): Promise<Organization> {
  const { data: roles } = await owner.call(listRoles);
  const { data: logs } = await owner.call(listAuditLogs, { query: { pageSize: 500 } });
  return {
    id: owner.organizationID,
    callers: people.map(({ id }) => id),
    members: [...people],
    keys: [],
    networks: [],
    hosts: [],
    roles: roles.map(({ id, name, description, firewallRules }) => ({
      id,
      name,
      description,
      firewallRules,
    })),
    tags: [],
    routes: [],
    guarantees: [],
    channels: [],
    notificationRules: [],
    entries: [],
    earlierEntryCount: logs.length,
  };
}

export async function createState(driver: Driver): Promise<State> {
  const { server } = driver;
  driver.reset();
  await server.query("delete from rate_limits");
  server.mails.length = 0;
  const [owner, stranger] = [await server.signUp(), await server.signUp()];
  // Without a host limit, requests that create hosts don't wait for each other.
  await server.query("update organizations set plan = 'selfHosted' where id = $1", [owner.organizationID]);
  const administrator = await joinAs(server, owner, "administrator");
  const auditor = await joinAs(server, owner, "auditor");
  for (const { userID, userToken, authToken } of [owner, stranger, administrator, auditor])
    driver.addCredentials(userID, userToken, authToken);
  const toMember = ({ userID, email }: Session, role: ModelMember["role"]): ModelMember => ({
    id: userID,
    email,
    role,
    kind: "user",
  });
  return {
    organizations: [
      await readOrganization(owner, [
        toMember(owner, "owner"),
        toMember(administrator, "administrator"),
        toMember(auditor, "auditor"),
      ]),
      await readOrganization(stranger, [toMember(stranger, "owner")]),
    ],
    advancedMs: driver.advancedMs(),
  };
}
