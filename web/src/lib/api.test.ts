import { createNetwork, listNetworks, sendMagicLink } from "@lightkeeper/contract";
import { expect, it, vi } from "vitest";
import { signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { page, transport, unreachable } from "../testing/transport.ts";
import { api, listAll } from "./api.ts";
import { readConnection, subscribeToConnection } from "./connection.ts";

it("sends the tokens with a call, read at that moment [S7.1]", async () => {
  const server = transport().on(listNetworks, () => page([network]));
  await api(listNetworks);
  signIn();
  await api(listNetworks);
  expect(server.calls(listNetworks).map((call) => call.authorization)).toEqual([
    null,
    "Bearer user-token auth-token",
  ]);
});

it("sends no token with a public call [S7.4]", async () => {
  signIn();
  const server = transport().on(sendMagicLink, () => ({}));
  await api(sendMagicLink, { body: { email: "ada@example.com" } });
  expect(server.calls(sendMagicLink)[0]).toMatchObject({
    authorization: null,
    body: { email: "ada@example.com" },
  });
});

it("sends and accepts JSON [S7.1] and returns the data field [S7.2]", async () => {
  const server = transport().on(createNetwork, () => network);
  const sent = vi.spyOn(server, "fetch");
  vi.stubGlobal("fetch", server.fetch);
  expect(await api(createNetwork, { body: { name: "Production" } })).toEqual(network);
  expect(sent.mock.calls[0]?.[1]).toMatchObject({
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
  });
});

it("lists all by pages of 500, following the cursor while there is a next page [S7.25] [S9.1]", async () => {
  const server = transport().on(listNetworks, ({ query }) =>
    query.cursor === "second"
      ? page([{ ...network, name: "b" }])
      : page([{ ...network, name: "a" }], { hasNextPage: true, nextCursor: "second" }),
  );
  expect((await listAll(listNetworks)).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(server.calls(listNetworks).map(({ query }) => query)).toEqual([
    { pageSize: "500" },
    { pageSize: "500", cursor: "second" },
  ]);
});

it("stops listing after ten pages, or after the requested number [S7.25] [S9.1]", async () => {
  const server = transport().on(listNetworks, () => page([network], { hasNextPage: true, nextCursor: "on" }));
  expect(await listAll(listNetworks)).toHaveLength(10);
  expect(await listAll(listNetworks, {}, { pages: 1 })).toHaveLength(1);
  expect(server.calls(listNetworks)).toHaveLength(11);
});

it("notices when the API becomes unreachable and when it is back", async () => {
  const listener = vi.fn();
  const stop = subscribeToConnection(listener);
  const server = transport().on(listNetworks, () => page([network]));
  await api(listNetworks);
  expect(readConnection().reachable).toBe(true);
  server.on(listNetworks, () => {
    throw unreachable();
  });
  await expect(api(listNetworks)).rejects.toThrow(
    "Can’t reach Lightkeeper. Check your connection and try again.",
  );
  expect(readConnection().reachable).toBe(false);
  expect(readConnection().respondedAt).toBeTypeOf("number");
  server.on(listNetworks, () => page([network]));
  await api(listNetworks);
  expect(readConnection().reachable).toBe(true);
  expect(listener).toHaveBeenCalledTimes(2);
  stop();
});

it("doesn't treat an aborted call as an outage", async () => {
  transport().on(listNetworks, () => page([network]));
  await expect(api(listNetworks, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(readConnection().reachable).toBe(true);
});
