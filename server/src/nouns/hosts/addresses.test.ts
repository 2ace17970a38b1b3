import { createHostV2, deleteHost, getNetwork, type HostV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const lastOctet = ({ ipAddresses: [address = ""] }: HostV2) => Number(address.split(".").at(-1));
const remove = ({ id }: HostV2) => owner.call(deleteHost, { params: { hostID: id } });

describe("an address", () => {
  it("is the lowest that is free, also after addresses were released or requested explicitly", async () => {
    const { add } = await createFleet(server, owner, "10.1.0.0/24");
    const hosts = [await add(), await add(), await add(), await add()];
    expect(hosts.map(lastOctet)).toEqual([1, 2, 3, 4]);
    await add({ ipAddresses: ["10.1.0.6"] });
    for (const index of [2, 0]) await remove(hosts[index] as HostV2);
    expect(lastOctet(await add())).toBe(1);
    await add({ ipAddresses: ["10.1.0.3"] });
    expect([lastOctet(await add()), lastOctet(await add())]).toEqual([5, 7]);
  });

  it("comes from the requested prefix until that prefix is full", async () => {
    const { add } = await createFleet(server, owner, "10.2.0.0/24");
    const within = { ipAddresses: ["10.2.0.8/30"] };
    const hosts = [await add(within), await add(within), await add(within), await add(within)];
    expect(hosts.map(lastOctet)).toEqual([8, 9, 10, 11]);
    expect(await errorCodesOf(add(within))).toEqual(["ERR_NETWORK_FULLY_ALLOCATED"]);
    await remove(hosts[1] as HostV2);
    expect(lastOctet(await add(within))).toBe(9);
    const [first, last] = [
      await add({ ipAddresses: ["10.2.0.0/30"] }),
      await add({ ipAddresses: ["10.2.0.252/30"] }),
    ];
    expect([first, last].map(lastOctet)).toEqual([1, 252]);
    for (let next = 2; next <= 7; next++) expect(lastOctet(await add())).toBe(next);
    expect(lastOctet(await add())).toBe(12);
  });

  it("is unique for each of 200 hosts that are created concurrently, without gaps", async () => {
    const { add, networkID } = await createFleet(server, owner, "10.3.0.0/23");
    const hosts = await Promise.all(Array.from({ length: 200 }, () => add()));
    expect(hosts.map(lastOctet).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    expect((await owner.call(getNetwork, { params: { networkID } })).hostCount).toBe(200);
  });

  it("is assigned to only one of twenty hosts that request it concurrently", async () => {
    const { networkID } = await createFleet(server, owner, "10.4.0.0/24");
    const createWithAddress = (index: number) =>
      owner.call(createHostV2, { body: { name: `h${index}`, networkID, ipAddresses: ["10.4.0.77"] } });
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => createWithAddress(index)),
    );
    expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await errorsOf(createWithAddress(99))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "ipAddresses[0]" },
    ]);
  });

  it("is not available in a full /30 until a host is deleted", async () => {
    const { add } = await createFleet(server, owner, "10.5.0.0/30");
    const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => add()));
    const createdHosts = attempts.flatMap((attempt) =>
      attempt.status === "fulfilled" ? [attempt.value] : [],
    );
    expect(createdHosts.map(lastOctet).sort()).toEqual([1, 2]);
    expect(await errorsOf(add())).toMatchObject([
      { code: "ERR_NETWORK_FULLY_ALLOCATED", message: "the network has no free address" },
    ]);
    await remove(createdHosts[0] as HostV2);
    expect(lastOctet(await add())).toBe(lastOctet(createdHosts[0] as HostV2));
  });

  it("is found after a long range of addresses that are in use", async () => {
    const { add, addMany } = await createFleet(server, owner, "10.6.0.0/20");
    await add();
    await addMany(2499, 2);
    expect((await add()).ipAddresses).toEqual(["10.6.9.197"]);
    expect((await add()).ipAddresses).toEqual(["10.6.9.198"]);
  });
});
