import { createNetwork, createRole, type ImportPlan, planImport } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { createImporter, type Importer } from "../../testing/importer.ts";

let server: TestServer;
let me: Importer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  me = await createImporter(server);
});

describe("an invalid item", () => {
  const rejected = ({ reject }: ImportPlan) => reject.map(({ place, code, path }) => [place, code, path]);

  it("is rejected with its place and reason, and the rest is planned", async () => {
    const planned = await me.planYaml(`
roles: [{name: Ops}, {name: ""}]
hosts: [{name: good, network: Main}, {name: bad, network: Main, colour: red}]
`);
    expect(planned.create.map(({ name }) => name)).toEqual(["Ops", "good"]);
    expect(planned.reject).toEqual([
      {
        place: "roles[1]",
        code: "ERR_INVALID_VALUE_LENGTH",
        message: "must have a length between 1 and 50",
        path: "name",
      },
      { place: "hosts[1]", code: "ERR_INVALID_VALUE", message: "unknown key", path: "colour" },
    ]);
    expect(await me.apply(planned)).toEqual({ created: 2, changed: 0 });
    expect((await me.hosts()).map(({ name }) => name)).toEqual(["good"]);
  });

  it.each([
    ["an item that isn't an object", "hosts: [1]", [["hosts[0]", "ERR_INVALID_VALUE", undefined]]],
    [
      "a key that isn't valid text",
      String.raw`roles: [{name: Ops, "\ud800": x, "\0": y}]`,
      [
        ["roles[0]", "ERR_INVALID_VALUE", undefined],
        ["roles[0]", "ERR_INVALID_VALUE", undefined],
      ],
    ],
    ["a host without a name", "hosts: [{network: Main}]", [["hosts[0]", "ERR_INVALID_VALUE_LENGTH", "name"]]],
    [
      "a name that is a number",
      "hosts: [{name: 7, network: Main}]",
      [["hosts[0]", "ERR_INVALID_VALUE", "name"]],
    ],
    ["a host without a network", "hosts: [{name: a}]", [["hosts[0]", "ERR_INVALID_VALUE_LENGTH", "network"]]],
    [
      "an unknown network and an unknown role",
      "hosts: [{name: a, network: Elsewhere, role: Nobody}]",
      [
        ["hosts[0]", "ERR_INVALID_REFERENCE", "network"],
        ["hosts[0]", "ERR_INVALID_REFERENCE", "role"],
      ],
    ],
    [
      "a name with an invalid character",
      'hosts: [{name: "a\\0b", network: Main}]',
      [["hosts[0]", "ERR_INVALID_VALUE", "name"]],
    ],
    [
      "an invalid tag",
      "hosts: [{name: a, network: Main, tags: [nonsense]}]",
      [["hosts[0]", "ERR_INVALID_VALUE", "tags[0]"]],
    ],
    [
      "an unknown override",
      "hosts: [{name: a, network: Main, configOverrides: [{key: pki.ca, value: x}]}]",
      [["hosts[0]", "ERR_INVALID_VALUE", "configOverrides[0].key"]],
    ],
    [
      "an override of a tag with an invalid value",
      'tags: [{name: "a:b", configOverrides: [{key: tun.mtu, value: 1}]}]',
      [["tags[0]", "ERR_INVALID_VALUE", "configOverrides[0].value"]],
    ],
    [
      "a lighthouse without a static address and port",
      "hosts: [{name: a, network: Main, isLighthouse: true}]",
      [
        ["hosts[0]", "ERR_INVALID_VALUE", "staticAddresses"],
        ["hosts[0]", "ERR_INVALID_VALUE", "listenPort"],
      ],
    ],
    [
      "a lighthouse that is a relay",
      'hosts: [{name: a, network: Main, isLighthouse: true, isRelay: true, listenPort: 1, staticAddresses: ["a.example:1"]}]',
      [["hosts[0]", "ERR_INVALID_VALUE", undefined]],
    ],
    [
      "an address of another network",
      "hosts: [{name: a, network: Main, ipAddress: 10.2.0.1}]",
      [["hosts[0]", "ERR_INVALID_VALUE", "ipAddress"]],
    ],
    [
      "the network address, the broadcast address and a prefix",
      "hosts: [{name: a, network: Main, ipAddress: 10.1.0.0}, {name: b, network: Main, ipAddress: 10.1.0.255}, {name: c, network: Main, ipAddress: 10.1.0.0/24}]",
      [0, 1, 2].map((index) => [`hosts[${index}]`, "ERR_INVALID_VALUE", "ipAddress"]),
    ],
    [
      "a duplicate address",
      "hosts: [{name: a, network: Main, ipAddress: 10.1.0.7}, {name: b, network: Main, ipAddress: 10.1.0.7}]",
      [["hosts[1]", "ERR_DUPLICATE_VALUE", "ipAddress"]],
    ],
    [
      "a duplicate role, tag or host",
      'roles: [{name: A}, {name: a}]\ntags: [{name: "a:b"}, {name: "a:b"}]\nhosts: [{name: x, network: Main}, {name: X, network: main}]',
      [
        ["roles[1]", "ERR_DUPLICATE_VALUE", "name"],
        ["tags[1]", "ERR_DUPLICATE_VALUE", "name"],
        ["hosts[1]", "ERR_DUPLICATE_VALUE", "name"],
      ],
    ],
    [
      "a rule with an unknown role, with the key from the file",
      'roles: [{name: A, firewallRules: [{protocol: TCP}, {protocol: TCP, allowedRole: Nobody}]}]\ntags: [{name: "a:b", firewallRules: [{protocol: TCP, allowedRoleID: role-none}]}]',
      [
        ["roles[0]", "ERR_INVALID_REFERENCE", "firewallRules[1].allowedRole"],
        ["tags[0]", "ERR_INVALID_REFERENCE", "firewallRules[0].allowedRoleID"],
      ],
    ],
    [
      "an invalid rule",
      "roles: [{name: A, firewallRules: [{protocol: SCTP, allowedRole: 7}]}]",
      [
        ["roles[0]", "ERR_INVALID_VALUE", "firewallRules[0].protocol"],
        ["roles[0]", "ERR_INVALID_VALUE", "firewallRules[0].allowedRole"],
      ],
    ],
    [
      "items that refer directly or indirectly to a rejected role",
      "roles: [{name: A, firewallRules: [{protocol: ANY, allowedRole: B}]}, {name: B, firewallRules: [{protocol: ANY, allowedRole: C}]}, {name: C, colour: red}]\nhosts: [{name: x, network: Main, role: A}]",
      [
        ["roles[0]", "ERR_INVALID_REFERENCE", "firewallRules[0].allowedRole"],
        ["roles[1]", "ERR_INVALID_REFERENCE", "firewallRules[0].allowedRole"],
        ["roles[2]", "ERR_INVALID_VALUE", "colour"],
        ["hosts[0]", "ERR_INVALID_REFERENCE", "role"],
      ],
    ],
    [
      "properties that an import can't set",
      'tags: [{name: "a:b", routeSubscriptions: [], before: "x:y"}]',
      [
        ["tags[0]", "ERR_INVALID_VALUE", "routeSubscriptions"],
        ["tags[0]", "ERR_INVALID_VALUE", "before"],
      ],
    ],
  ])("is rejected: %s", async (_what, content, expected) => {
    expect(rejected(await me.planYaml(content))).toEqual(expected);
  });

  it("is rejected in CSV with its line", async () => {
    const planned = await me.planCsv(
      "type,name,network,listenPort,description\nrouter,a,,,\nhost,b,Main,many,\nrole,D,Main,,\nhost,e,Main,,,x\n",
    );
    expect(rejected(planned)).toEqual([
      ["line 2", "ERR_INVALID_VALUE", "type"],
      ["line 3", "ERR_INVALID_VALUE", "listenPort"],
      ["line 4", "ERR_INVALID_VALUE", "network"],
      ["line 5", "ERR_INVALID_VALUE", "column 6"],
    ]);
  });

  it("is rejected: an address in use, and a change of an immutable property", async () => {
    await me.addHost({ name: "old", ipAddresses: ["10.1.0.9"] });
    const planned = await me.planYaml(`
hosts:
  - {name: new, network: Main, ipAddress: 10.1.0.9}
  - {name: old, network: Main, ipAddress: 10.1.0.10, isLighthouse: true, isRelay: true}
`);
    expect(rejected(planned)).toEqual([
      ["hosts[0]", "ERR_DUPLICATE_VALUE", "ipAddress"],
      ["hosts[1]", "ERR_INVALID_VALUE", "ipAddress"],
      ["hosts[1]", "ERR_INVALID_VALUE", "isLighthouse"],
      ["hosts[1]", "ERR_INVALID_VALUE", "isRelay"],
    ]);
    const same = "hosts: [{name: old, network: Main, ipAddress: 10.1.0.9, isLighthouse: false}]";
    expect(await me.planYaml(same)).toMatchObject({ unchanged: 1, reject: [] });
  });

  it("is rejected: a change that would leave a lighthouse without its port", async () => {
    await me.addHost({
      name: "l",
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["a.example:4242"],
    });
    const planned = await me.planYaml("hosts: [{name: l, network: Main, listenPort: 0}]");
    expect(rejected(planned)).toEqual([["hosts[0]", "ERR_INVALID_VALUE", "listenPort"]]);
  });

  it("is rejected: more hosts than the network has addresses", async () => {
    const small = await me.call(createNetwork, { body: { name: "Small", cidr: "10.9.0.0/30" } });
    await me.addHost({ name: "first", networkID: small.id });
    const content = "hosts: [{name: a, network: Small}, {name: b, network: Small}, {name: c, network: Main}]";
    const planned = await me.planYaml(content);
    expect(planned.create.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(planned.reject).toEqual([
      {
        place: "hosts[1]",
        code: "ERR_NETWORK_FULLY_ALLOCATED",
        message: "the network has no free address",
      },
    ]);
    expect(await me.apply(planned)).toEqual({ created: 2, changed: 0 });
  });

  it("is rejected: more hosts than the plan allows", async () => {
    me = await createImporter(server, "free");
    const limit = server.ctx.config.freePlanHostLimit;
    const rows = Array.from({ length: limit + 2 }, (_, index) => `h${index},Main`);
    const planned = await me.planCsv(`name,network\n${rows.join("\n")}`);
    expect(planned.create).toHaveLength(limit);
    expect(planned.reject).toEqual(
      [limit + 2, limit + 3].map((line) => ({
        place: `line ${line}`,
        code: "ERR_LIMIT_EXCEEDED",
        message: `the Free plan is limited to ${limit} hosts`,
      })),
    );
    expect(await me.apply(planned)).toEqual({ created: limit, changed: 0 });
    expect((await me.planCsv(`name,network\n${rows.join("\n")}`)).unchanged).toBe(limit);
  });

  it("cannot refer to another organization", async () => {
    const stranger = await createImporter(server);
    const theirs = await stranger.call(createNetwork, { body: { name: "Theirs" } });
    const role = await stranger.call(createRole, { body: { name: "Their role" } });
    const planned = await me.planYaml(
      `hosts: [{name: a, network: Theirs, role: Their role}, {name: b, network: ${theirs.id}, role: ${role.id}}]`,
    );
    expect(rejected(planned).map(([, code]) => code)).toEqual(
      Array.from({ length: 4 }, () => "ERR_INVALID_REFERENCE"),
    );
  });
});

describe("a document", () => {
  const numbered = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join("\n");

  it.each([
    ["yaml", "hosts: [", /^line 1: /],
    ["yaml", "machines: []", /^unknown key "machines"/],
    ["csv", "name,colour\na,b", /^unknown column "colour"/],
    ["csv", "", /^must start with a row of column names$/],
  ] as const)("that cannot be read is rejected completely: %s %j", async (format, content, message) => {
    expect(await errorsOf(me.call(planImport, { body: { format, content } }))).toEqual([
      { code: "ERR_INVALID_VALUE", path: "content", message: expect.stringMatching(message) },
    ]);
  });

  it.each([
    ["6000 items", numbered(6001, (index) => `router,x${index},,`)],
    ["6000 items", numbered(200_000, () => "a")],
    ["5000 hosts", numbered(5001, (index) => `host,h${index},Main,`)],
    ["500 roles", numbered(501, (index) => `role,r${index},,`)],
    ["500 tags", numbered(501, (index) => `tag,t:${index},,`)],
    ["1000 tags", numbered(1001, (index) => `host,h${index},Main,t:${index}`)],
  ])("must not have more than %s", async (what, rows) => {
    const [entry] = await errorsOf(me.planCsv(`type,name,network,tags\n${rows}\n`));
    expect(entry).toMatchObject({
      code: "ERR_LIMIT_EXCEEDED",
      path: "content",
      extra: { limit: Number.parseInt(what, 10) },
    });
    expect(entry?.message).toMatch(new RegExp(`^must not (have|use) more than ${what}: split the file$`));
  });

  it("must have a valid format and size", async () => {
    const body = { format: "xml", content: "x".repeat(1_000_001) } as never;
    expect((await errorsOf(me.call(planImport, { body }))).map(({ path }) => path)).toEqual([
      "format",
      "content",
    ]);
  });
});
