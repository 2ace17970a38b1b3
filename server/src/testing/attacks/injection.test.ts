/** Values that would be instructions for the database. */
import { createRole, createTag, listRoles, listTags, pathOf } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Session, startTestServer, type TestServer } from "../server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const SQL = [
  "' or '1'='1",
  "'; drop table hosts; --",
  "\\'; select pg_sleep(9); --",
  "$1",
  "${id}",
  "%' or 1=1 --",
];

describe("SQL", () => {
  it.each(SQL)("in a name is text: %j", async (name) => {
    const { id } = await owner.call(createRole, { body: { name } });
    const { data } = await owner.call(listRoles, { query: { "filter.search": name } });
    expect(data.map((role) => [role.id, role.name])).toEqual([[id, name]]);
  });

  it("in a search finds nothing that doesn't contain it", async () => {
    await owner.call(createTag, { body: { name: "env:prod" } });
    for (const search of ["' or '1'='1", "%' or 1=1 --", "_", "%", "\\"])
      expect((await owner.call(listTags, { query: { "filter.search": search } })).data).toEqual([]);
  });

  it("in any parameter of any list is rejected or finds nothing", async () => {
    const lists = [...endpoints.values()].filter(
      ({ method, path, access, response }) =>
        method === "GET" && response.kind === "list" && access.kind !== "agent" && !path.includes("{"),
    );
    expect(lists.length).toBeGreaterThan(10);
    for (const list of lists) {
      const shape = (list.query?._zod.def as { shape?: object } | undefined)?.shape ?? {};
      for (const name of Object.keys(shape)) {
        const url = new URL(pathOf(list, { query: { [name]: "' or 'a'='a" } }), server.url);
        const headers = { authorization: `Bearer ${owner.userToken} ${owner.authToken}` };
        const response = await fetch(url, { headers });
        const { data = [] } = (await response.json()) as { data?: unknown[] };
        expect([list.path, name, [200, 400].includes(response.status), data.length]).toEqual([
          list.path,
          name,
          true,
          0,
        ]);
      }
    }
  });
});
