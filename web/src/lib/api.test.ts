import { createNetworkV2, listNetworksV2, sendMagicLink } from "@lightkeeper/contract";
import { expect, it, vi } from "vitest";
import { signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { page, transport, unreachable } from "../testing/transport.ts";
import { api, listAll } from "./api.ts";
import { readConnection, subscribeToConnection } from "./connection.ts";

it("sends the tokens with a call, read at that moment [S7.1]", async () => {
  const server = transport().on(listNetworksV2, () => page([network]));
  await api(listNetworksV2);
  signIn();
  await api(listNetworksV2);
  expect(server.calls(listNetworksV2).map((call) => call.authorization)).toEqual([
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
  const server = transport().on(createNetworkV2, () => network);
  const sent = vi.spyOn(server, "fetch");
  vi.stubGlobal("fetch", server.fetch);
  expect(await api(createNetworkV2, { body: { name: "Production" } })).toEqual(network);
  expect(sent.mock.calls[0]?.[1]).toMatchObject({
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
  });
});

it("sends a request ID, which an error has if a proxy responds instead of the server", async () => {
  const server = transport();
  const sent = vi.spyOn(server, "fetch").mockResolvedValue(new Response("Too large", { status: 413 }));
  vi.stubGlobal("fetch", server.fetch);
  const error: unknown = await api(createNetworkV2, { body: { name: "Production" } }).catch(
    (thrown: unknown) => thrown,
  );
  const requestID = new Headers(sent.mock.calls[0]?.[1]?.headers).get("x-request-id");
  expect(requestID).toMatch(/^req-/);
  expect(error).toMatchObject({ requestID });
});

it("lists all by pages of 500, following the cursor while there is a next page [S7.25] [S9.1]", async () => {
  const server = transport().on(listNetworksV2, ({ query }) =>
    query.cursor === "second"
      ? page([{ ...network, name: "b" }])
      : page([{ ...network, name: "a" }], { hasNextPage: true, nextCursor: "second" }),
  );
  expect((await listAll(listNetworksV2)).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(server.calls(listNetworksV2).map(({ query }) => query)).toEqual([
    { pageSize: "500" },
    { pageSize: "500", cursor: "second" },
  ]);
});

it("stops listing after ten pages, or after the requested number [S7.25] [S9.1]", async () => {
  const server = transport().on(listNetworksV2, () =>
    page([network], { hasNextPage: true, nextCursor: "on" }),
  );
  expect(await listAll(listNetworksV2)).toHaveLength(10);
  expect(await listAll(listNetworksV2, {}, { pages: 1 })).toHaveLength(1);
  expect(server.calls(listNetworksV2)).toHaveLength(11);
});

it("notices when the API becomes unreachable and when it is back", async () => {
  const listener = vi.fn();
  const stop = subscribeToConnection(listener);
  const server = transport().on(listNetworksV2, () => page([network]));
  await api(listNetworksV2);
  expect(readConnection().reachable).toBe(true);
  server.on(listNetworksV2, () => {
    throw unreachable();
  });
  await expect(api(listNetworksV2)).rejects.toThrow(
    "Can’t reach Lightkeeper. Check your connection and try again.",
  );
  expect(readConnection().reachable).toBe(false);
  expect(readConnection().respondedAt).toBeTypeOf("number");
  server.on(listNetworksV2, () => page([network]));
  await api(listNetworksV2);
  expect(readConnection().reachable).toBe(true);
  expect(listener).toHaveBeenCalledTimes(2);
  stop();
});

it("doesn't treat an aborted call as an outage", async () => {
  transport().on(listNetworksV2, () => page([network]));
  await expect(api(listNetworksV2, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(readConnection().reachable).toBe(true);
});
