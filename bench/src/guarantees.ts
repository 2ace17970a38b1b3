/** What guarantees add to the time of a change, in organizations of 10,000 hosts with and without 50 guarantees. */
import { compare, toFigure } from "./comparison.ts";
import type { Figure } from "./figure.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

const ROUNDS = 60;
const LIMIT = 1.2;
const HOSTS = 10_000;
const ROLES = 200;
const TAGS = 500;
const GUARANTEES = 50;

interface Subject {
  organization: Organization;
  networkID: string;
  roleIDs: string[];
  hostIDs: string[];
}

const allowTcp = (port: number, allowedRoleID: string) => ({
  protocol: "TCP",
  portRange: { from: port, to: port },
  allowedRoleID,
});

const tagName = (index: number) => `tag:${index % TAGS}`;

/** Roles with five rules each; every host has a role, three tags and a certificate. */
async function createSubject(system: System, hosts: number): Promise<Subject> {
  const organization = await system.createOrganization(hosts);
  const roleIDs: string[] = [];
  for (let index = 0; index < ROLES; index++) {
    const { body } = await organization.request("POST", "/v1/roles", { name: `role ${index}` });
    roleIDs.push((body.data as { id: string }).id);
  }
  for (let index = 0; index < TAGS; index++)
    await organization.request("POST", "/v1/tags", { name: tagName(index) });
  for (const [index, id] of roleIDs.entries())
    await organization.request("PUT", `/v1/roles/${id}`, rulesOf(roleIDs, index));
  const rows = await system.query<{ id: string; network_id: string; is_plain: boolean }>(
    `update hosts set role_id = ($2::text[])[1 + number % $3], enrolled_at = now(), ca_id = signing_ca_id,
       certificate_expires_at = now() + interval '30 days',
       tags = array['tag:' || number % 500, 'tag:' || (number * 7 + 1) % 500, 'tag:' || (number * 13 + 2) % 500]
     from (select id as host_id, row_number() over (order by id) as number from hosts where organization_id = $1) numbered,
       networks
     where hosts.id = host_id and networks.id = network_id
     returning hosts.id, network_id, not is_lighthouse and not is_relay as is_plain`,
    [organization.id, roleIDs, ROLES],
  );
  const networkID = rows[0]?.network_id ?? "";
  // Lighthouses and relays need a port.
  const plain = rows.filter((row) => row.network_id === networkID && row.is_plain);
  const hostIDs = plain.map(({ id }) => id);
  return { organization, networkID, roleIDs, hostIDs };
}

const rulesOf = (roleIDs: readonly string[], index: number, more: object[] = []) => ({
  firewallRules: [
    ...[1, 2, 3, 4, 5].map((step) => allowTcp(8000 + step, roleIDs[(index + step) % ROLES] ?? "")),
    ...more,
  ],
});

/** Half of them between roles, half between tags and roles; all hold. */
async function addGuarantees({ organization, roleIDs }: Subject): Promise<void> {
  for (let index = 0; index < GUARANTEES; index++) {
    const isReach = index % 5 === 0;
    const destination = { type: "role", id: roleIDs[index] };
    const body = isReach
      ? {
          type: "MUST_REACH",
          source: { type: "role", id: roleIDs[index + 1] },
          portRange: { from: 8001, to: 8001 },
        }
      : {
          type: "MUST_NEVER_REACH",
          source:
            index % 2 === 0
              ? { type: "role", id: roleIDs[index + 100] }
              : { type: "tag", id: tagName(index) },
          portRange: { from: 22, to: 22 },
        };
    const created = await organization.request("POST", "/v1/guarantees", {
      ...body,
      destination,
      protocol: "TCP",
    });
    const { state } = created.body.data as { state: string };
    if (state !== "holds") throw new Error(`A guarantee is ${state}`);
  }
}

let changeCount = 0;

async function editRole({ organization, roleIDs }: Subject): Promise<number> {
  const index = ++changeCount % ROLES;
  const more = [allowTcp(9000 + (changeCount % 1000), roleIDs[(index + 50) % ROLES] ?? "")];
  return (await organization.request("PUT", `/v1/roles/${roleIDs[index]}`, rulesOf(roleIDs, index, more)))
    .serverMs;
}

async function editHost({ organization, roleIDs, hostIDs }: Subject): Promise<number> {
  const id = hostIDs[(++changeCount * 37) % hostIDs.length];
  const body = {
    roleID: roleIDs[(changeCount * 3 + 60) % ROLES],
    tags: [tagName(changeCount + 100), "tag:300"],
  };
  return (
    await organization.request("PUT", `/v3/hosts/${id}`, { ...body, staticAddresses: [], listenPort: 0 })
  ).serverMs;
}

async function addHost({ organization, networkID, roleIDs }: Subject): Promise<number> {
  const body = {
    name: `benchmark-${++changeCount}`,
    networkID,
    roleID: roleIDs[changeCount % ROLES],
    tags: ["tag:301"],
  };
  return (await organization.request("POST", "/v2/hosts", body)).serverMs;
}

export async function guarantees(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const without = await createSubject(system, HOSTS);
    const subject = await createSubject(system, HOSTS + 1);
    await addGuarantees(subject);
    await system.settle();
    const compared = async (what: string, change: (changed: Subject) => Promise<number>) =>
      toFigure(
        `${what}, with ${GUARANTEES} guarantees`,
        await compare(
          () => change(without),
          () => change(subject),
          { rounds: ROUNDS, limit: LIMIT },
        ),
      );
    return [
      await compared("to change a role's rules", editRole),
      await compared("to change a host's role and tags", editHost),
      await compared("to create a host", addHost),
    ];
  } finally {
    await system.stop();
  }
}
