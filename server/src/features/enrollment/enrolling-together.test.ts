/** Hosts of one network that enroll at the same time, while something else holds a lock on the network. */
import {
  blockHostV2,
  createEnrollmentCode,
  createRole,
  getHostV2,
  listAuditLogs,
  updateRole,
} from "@lightkeeper/contract";
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

const codeOf = async (hostID: string) =>
  (await owner.call(createEnrollmentCode, { params: { hostID } })).code;
const send = (code: string) => post(`${server.url}/v2/enroll`, JSON.stringify(enrollBody(code)));
const enroll = async (hostID: string) => send(await codeOf(hostID));

/** Hosts with a code each. */
const addHosts = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { id } = await fleet.add();
      return { id, code: await codeOf(id) };
    }),
  );

const countTransactions = async (ids: readonly string[]) => {
  const [row] = await server.query<{ count: string }>(
    "select count(distinct xmin::text) from hosts where id = any($1)",
    [ids],
  );
  return Number(row?.count);
};

/** Runs the work while another transaction has locked the network. */
const whileLocked = <T>(strength: string, work: (release: () => Promise<unknown>) => Promise<T>) =>
  withClient(server.database.url, async (client) => {
    await client.query("begin");
    await client.query(`select from networks where id = $1 for ${strength}`, [fleet.networkID]);
    return work(() => client.query("commit"));
  });

it.each(["for the first time", "again"])(
  "a host that enrolls %s waits for another change of its network, so that no two changes can deadlock",
  async (when) => {
    const { id } = await fleet.add();
    if (when === "again") await enroll(id);
    let isEnrolled = false;
    const answer = await whileLocked("share", async (release) => {
      const enrolling = enroll(id).finally(() => (isEnrolled = true));
      await expect.poll(() => server.countLockWaits()).toBe(1);
      expect(isEnrolled).toBe(false);
      await release();
      return enrolling;
    });
    expect(answer.status).toBe(200);
  },
);

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

it("hosts that enroll at the same time share transactions, each with its own reply and audit entry", async () => {
  const hosts = await addHosts(20);
  const answers = await Promise.all(hosts.map(({ code }) => send(code)));
  const replies = answers.map(({ data }) => EnrollReply.parse(data));
  expect(replies.map(({ hostID }) => hostID)).toEqual(hosts.map(({ id }) => id));
  expect(new Set(replies.map(({ host }) => host.ipAddress)).size).toBe(hosts.length);
  expect(await countTransactions(hosts.map(({ id }) => id))).toBeLessThan(hosts.length / 2);
  for (const { id } of hosts) {
    expect(await owner.call(getHostV2, { params: { hostID: id } })).toMatchObject({ isBlocked: false });
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": id } });
    expect(data.filter(({ event }) => event.type === "ENROLLED")).toMatchObject([
      { actor: { id }, actorAddress: "127.0.0.1" },
    ]);
  }
});

it("a host that is rejected doesn't keep the others from enrolling", async () => {
  const hosts = await addHosts(4);
  const blocked = (await addHosts(1))[0]!;
  await owner.call(blockHostV2, { params: { hostID: blocked.id } });
  const [used] = await addHosts(1);
  await send(used!.code);
  const codes = [...hosts.map(({ code }) => code), blocked.code, "wrong", used!.code];
  const answers = await Promise.all(codes.map(send));
  expect(answers.map(({ status, errors }) => errors?.[0]?.code ?? status)).toEqual([
    200,
    200,
    200,
    200,
    "ERR_HOST_BLOCKED",
    "ERR_INVALID_VALUE",
    "ERR_INVALID_VALUE",
  ]);
});

it("a code that is sent several times at once enrolls its host once", async () => {
  const [host, ...others] = await addHosts(3);
  const codes = [host!, host!, host!, ...others].map(({ code }) => code);
  const answers = await Promise.all(codes.map(send));
  expect(
    answers
      .slice(0, 3)
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual([200, 400, 400]);
  expect(answers.slice(3).map(({ status }) => status)).toEqual([200, 200]);
});
