/** Importing hosts into a network with IPv4 and IPv6. */
import { createNetworkV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createImporter, type Importer } from "../../testing/importer.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let importer: Importer;
beforeAll(async () => {
  server = await startTestServer();
  importer = await createImporter(server);
  const cidrs = ["10.5.0.0/24", "fd05::/64"];
  await importer.call(createNetworkV2, { body: { name: "Dual", certVersion: 2, cidrs } });
});
afterAll(() => server.close());

const addressesOf = async (name: string) => (await importer.hostNamed(name))?.ipAddresses;

describe("an imported host", () => {
  it("gets the addresses of its line, or of its prefixes", async () => {
    const plan = await importer.planCsv(
      [
        "name,network,ipAddress,ipAddresses",
        "automatic,Dual,,",
        "one,Dual,FD05:0::00aa,",
        "both,Dual,,10.5.0.9 fd05::bb",
        "prefix,Dual,,10.5.0.0/24",
      ].join("\n"),
    );
    expect(plan.reject).toEqual([]);
    expect(await importer.apply(plan)).toMatchObject({ created: 4 });
    expect(await addressesOf("automatic")).toEqual(["fd05::1"]);
    expect(await addressesOf("one")).toEqual(["fd05::aa"]);
    expect(await addressesOf("both")).toEqual(["10.5.0.9", "fd05::bb"]);
    expect(await addressesOf("prefix")).toEqual(["10.5.0.1", "fd05::2"]);
  });

  it("is unchanged by its own addresses in any form, and can't get others", async () => {
    const again = await importer.planYaml(
      'hosts: [{name: both, network: Dual, ipAddresses: ["FD05:0:0::BB", "10.5.0.0/24"]}]',
    );
    expect(again.reject).toEqual([]);
    const other = await importer.planYaml('hosts: [{name: both, network: Dual, ipAddresses: ["fd05::cc"]}]');
    expect(other.reject).toMatchObject([
      {
        code: "ERR_INVALID_VALUE",
        path: "ipAddresses[0]",
        message: "the host’s addresses are 10.5.0.9 and fd05::bb and can’t be changed",
      },
    ]);
  });

  it.each([
    ["an address in use", ["fd05:0::bb"], "ERR_DUPLICATE_VALUE", "ipAddresses[0]"],
    ["an address outside", ["fd06::1"], "ERR_INVALID_VALUE", "ipAddresses[0]"],
    ["two addresses of a family", ["fd05::d1", "fd05::d2"], "ERR_INVALID_VALUE", "ipAddresses[1]"],
  ])("is rejected with %s", async (_, ipAddresses, code, path) => {
    const host = { name: "rejected", network: "Dual", ipAddresses };
    const { reject } = await importer.planYaml(JSON.stringify({ hosts: [host] }));
    expect(reject).toMatchObject([{ code, path }]);
  });

  it("is rejected with an IPv6 address in a network with version 1 certificates", async () => {
    const { reject } = await importer.planYaml('hosts: [{name: old, network: Main, ipAddress: "fd05::7"}]');
    expect(reject).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "ipAddress" }]);
  });
});
