/** Hosts of one network that enroll at the same time, while something else holds a lock on the network. */
import { createEnrollmentCode, updateRole, createRole } from "@lightkeeper/contract";
import { EnrollReply } from "@lightkeeper/contract/agent";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withClient } from "../../testing/database.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { decode, enrollBody, post } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const enroll = async (hostID: string) => {
  const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
  return post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(code)));
};

/** Runs the work while another transaction has locked the network. */
const whileLocked = <T>(strength: string, work: (release: () => Promise<unknown>) => Promise<T>) =>
  withClient(server.database.url, async (client) => {
    await client.query("begin");
    await client.query(`select from networks where id = $1 for ${strength}`, [fleet.networkID]);
    return work(() => client.query("commit"));
  });

it("hosts that enroll for the first time don't wait for each other", async () => {
  const hosts = await Promise.all(Array.from({ length: 8 }, () => fleet.add()));
  // The lock of another host that is enrolling.
  const answers = await whileLocked("share", () => Promise.all(hosts.map(({ id }) => enroll(id))));
  expect(answers.map(({ status }) => status)).toEqual(hosts.map(() => 200));
});

it("a host that enrolls again waits for the others, because it changes the network", async () => {
  const { id } = await fleet.add();
  await enroll(id);
  let isEnrolled = false;
  const answer = await whileLocked("share", async (release) => {
    const enrolling = enroll(id).finally(() => (isEnrolled = true));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isEnrolled).toBe(false);
    await release();
    return enrolling;
  });
  expect(answer.status).toBe(200);
});

it("a host that enrolls after a change gets the changed configuration", async () => {
  const role = await owner.call(createRole, { body: { name: "Changing" } });
  const hosts = await Promise.all(Array.from({ length: 4 }, () => fleet.add({ roleID: role.id })));
  for (const [index, { id }] of hosts.entries()) {
    const port = 7000 + index;
    const firewallRules = [{ protocol: "TCP" as const, portRange: { from: port, to: port } }];
    await owner.call(updateRole, { params: { roleID: role.id }, body: { firewallRules } });
    const { data } = await enroll(id);
    expect(decode(EnrollReply.parse(data).config)).toContain(`port: "${port}"`);
  }
});
