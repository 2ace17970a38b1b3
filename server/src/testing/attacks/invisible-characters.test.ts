/** Characters that people cannot see, or that a terminal interprets. */
import { randomBytes } from "node:crypto";
import * as contract from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeEnrollment, RequestRejected } from "@lightkeeper/agent/testing";
import { createLog } from "../../infrastructure/logging/log.ts";
import { identityOf } from "../../nouns/sso/claims.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { errorsOf } from "../request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({ environment: { FREE_PLAN_HOST_LIMIT: "1000" } });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

describe("invisible characters", () => {
  const hidden = ["a\nb", "a\tb", "a\u001b[2Jb", "a\u007fb", "a\u009b2Jb", "a\u202eb", "a\u2066b"].concat([
    "a\u200eb",
    "a\u061cb",
    "a\u200bb",
    "a\ufeffb",
    "ad\u200dmin",
  ]);
  const needed = ["می\u200cخواهم", "👩🏽\u200d🚒 crew", "سفينة", "Reykjavík", "क्\u200dष"];

  type Write = (text: string) => Promise<unknown>;
  const writes: [string, string, Write][] = [
    ["a network's name", "name", (name) => owner.call(contract.createNetwork, { body: { name } })],
    ["a role's name", "name", (name) => owner.call(contract.createRole, { body: { name } })],
    ["a route's name", "name", (name) => owner.call(contract.createRoute, { body: { name } })],
    ["a tag's name", "name", (name) => owner.call(contract.createTag, { body: { name: `k:${name}` } })],
    [
      "a host's name",
      "name",
      (name) => owner.call(contract.createHostV2, { body: { name, networkID: fleet.networkID } }),
    ],
    [
      "a tag of a host",
      "tags[0]",
      (tag) =>
        owner.call(contract.createHostV2, {
          body: {
            name: `host-${randomBytes(6).toString("hex")}`,
            networkID: fleet.networkID,
            tags: [`of:${tag}`],
          },
        }),
    ],
    [
      "an organization's name",
      "name",
      (name) =>
        owner.call(contract.updateOrganization, {
          params: { organizationID: owner.organizationID },
          body: { name },
        }),
    ],
    [
      "an API key's name",
      "name",
      (name) =>
        owner.call(contract.createApiKey, {
          body: { name, scopes: ["hosts:list"], expiresAt: null } as never,
        }),
    ],
  ];

  it.each(writes)("are rejected in %s, with the path", async (_name, path, write) => {
    for (const text of hidden) {
      const [error] = await errorsOf(write(text));
      expect([text, error?.code, error?.path]).toEqual([text, "ERR_INVALID_VALUE", path]);
    }
    for (const text of needed) await write(text);
  });

  it("are rejected in a description too, which may have several lines", async () => {
    const create = (description: string) =>
      owner.call(contract.createRole, {
        body: { name: `role-${randomBytes(6).toString("hex")}`, description },
      });
    expect((await create("first\n\tsecond \u200f(ג)")).description).toBe("first\n\tsecond \u200f(ג)");
    for (const text of ["a\u001b[2Jb", "a\u202eb", "a\u200bb", "a\rb"])
      expect(await errorsOf(create(text))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "description" },
      ]);
  });

  it("are rejected in overrides, with the path", async () => {
    const create = (value: unknown) =>
      owner.call(contract.createTag, {
        body: {
          name: `overrides:${randomBytes(6).toString("hex")}`,
          configOverrides: [{ key: "tun.dev", value }],
        },
      });
    for (const value of ["a\u202eb", { deep: ["a\u001bb"] }, { "a\u200bb": 1 }])
      expect(await errorsOf(create(value))).toMatchObject([
        {
          code: "ERR_INVALID_VALUE",
          path: "configOverrides[0].value",
          message: "must not contain control characters or invisible characters",
        },
      ]);
  });

  it("are rejected in the rows of an import", async () => {
    const content = `roles:\n  - name: "a\\u202Eb"\n  - name: Import ${randomBytes(6).toString("hex")}\n`;
    const plan = await owner.call(contract.planImport, { body: { format: "yaml", content } });
    expect(plan.reject).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "name" }]);
    expect(plan.create).toHaveLength(1);
  });

  it("are rejected in an email address from an identity provider", () => {
    const claims = { iss: "https://issuer.example", sub: "1" };
    expect(identityOf({ ...claims, email: "ada@example.com" })).toBeDefined();
    for (const email of ["a\u202eda@example.com", "ada\u009b@example.com", "ada@exam\u200bple.com"])
      expect(identityOf({ ...claims, email })).toBeUndefined();
  });

  it("that were stored earlier can be read and corrected", async () => {
    const host = await fleet.add();
    const stored = `old\u202e\u200b${host.id.slice(-6)}`;
    await server.query("update hosts set name = $1 where id = $2", [stored, host.id]);
    const params = { hostID: host.id };
    expect((await owner.call(contract.getHostV2, { params })).name).toBe(stored);
    await owner.call(contract.blockHostV2, { params });
    await owner.call(contract.unblockHostV2, { params });
    const corrected = { ...(await owner.call(contract.getHostV2, { params })), name: `new-${host.id}` };
    expect((await owner.call(contract.updateHostV3, { params, body: corrected })).name).toBe(corrected.name);
  });
});

describe("control characters for a terminal are escaped", () => {
  const name = "a\u001b[2J\u009b\u202e\nb";
  const shown = String.raw`a\u001b[2J\u009b\u202e\u000ab`;

  it("in the log, which stays JSON", () => {
    let line = "";
    createLog({ logLevel: "info" }, { write: (text) => void (line += text) }).info({ name }, name);
    for (const character of ["\u001b", "\u009b", "\u202e"]) expect(line).not.toContain(character);
    expect(JSON.parse(line)).toMatchObject({ name, msg: name });
  });

  it("in names and errors that the agent prints", () => {
    const host = { id: "", name, ipAddress: "10.0.0.1", ipAddresses: [] };
    const network = { id: "", name, curve: "25519" as const, cidr: "", cidrs: [] };
    const described = describeEnrollment({ host, network } as unknown as Parameters<
      typeof describeEnrollment
    >[0]);
    expect(described).toBe(`${shown} (10.0.0.1) in ${shown}`);
    expect(new RequestRejected(400, [{ message: name }]).message).toBe(
      `The server rejected the request: ${shown}.`,
    );
  });
});
