import { createRole, updateHostV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { createSnapshots, type Snapshots } from "./snapshots.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let snapshots: Snapshots;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  snapshots = createSnapshots(server.ctx);
});
afterAll(() => server.close());

async function readCurrent() {
  const [network] = await server.query<{ revision: string }>("select revision from networks where id = $1", [
    fleet.networkID,
  ]);
  const revision = Number(network!.revision);
  const snapshot = await snapshots.get(fleet.networkID, revision);
  expect(snapshot?.revision).toBe(revision);
  return { snapshot, revision };
}

it("a new host raises the revision of the snapshot, and what was compiled from it stays in use", async () => {
  const before = await readCurrent();
  await fleet.add();
  const after = await readCurrent();
  expect(after.revision).not.toBe(before.revision);
  expect(after.snapshot).toBe(before.snapshot);
});

it("a change of a configuration results in a new snapshot", async () => {
  const { id } = await fleet.add();
  const { snapshot } = await readCurrent();
  const role = await owner.call(createRole, { body: { name: "Web", firewallRules: [{ protocol: "ICMP" }] } });
  await owner.call(updateHostV2, { params: { hostID: id }, body: { roleID: role.id } });
  const withRole = await readCurrent();
  expect(withRole.snapshot).not.toBe(snapshot);
  expect(withRole.snapshot?.roles.get(role.id)).toMatchObject([{ protocol: "ICMP" }]);
});
