import { describe, expect, it } from "vitest";
import { logInWithTotp, signup, whoami } from "./auth.ts";
import { createClient, pathOf } from "./client.ts";
import { streamEvents } from "./live.ts";
import { createNetwork, getNetwork, listNetworks } from "./networks.ts";
import { InvalidResponseError, NotFoundError, type RequestError } from "./request-errors.ts";

interface Sent extends RequestInit {
  url: string;
  headers: Record<string, string>;
}

/** Returns the same response to every request, and records the requests. */
function fakeNetwork(
  createResponse: () => Response = () => Response.json({ data: "the data", metadata: { page: 1 } }),
) {
  const sent: Sent[] = [];
  const send = ((url: URL, init: RequestInit) => {
    sent.push({ ...init, url: url.href, headers: init.headers as Record<string, string> });
    return Promise.resolve(createResponse());
  }) as typeof fetch;
  return { sent, fetch: send };
}

const options = { baseURL: "https://api.example.com", authorization: () => "Bearer user auth" };

const readRequestID = (error: RequestError) => error.requestID;

describe("the client", () => {
  it("sends and accepts JSON, with the whole Authorization header [S7.1]", async () => {
    const network = fakeNetwork();
    await createClient({ ...options, fetch: network.fetch })(createNetwork, { body: { name: "x" } });
    expect(network.sent).toEqual([
      {
        url: "https://api.example.com/v1/networks",
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          "x-request-id": expect.stringMatching(/^req-[0-9a-v]{26}$/) as string,
          authorization: "Bearer user auth",
        },
        credentials: "omit",
        body: '{"name":"x"}',
      },
    ]);
  });

  it("sends no Authorization header to public endpoints or without credentials [S7.3]", async () => {
    const network = fakeNetwork();
    await createClient({ ...options, fetch: network.fetch })(signup, { body: { email: "a@example.com" } });
    await createClient({ baseURL: options.baseURL, authorization: () => undefined, fetch: network.fetch })(
      whoami,
    );
    await createClient({ baseURL: options.baseURL, fetch: network.fetch })(whoami);
    for (const { headers } of network.sent) expect(headers).not.toHaveProperty("authorization");
  });

  it("gets the Authorization header for every request", async () => {
    const network = fakeNetwork();
    let count = 0;
    const client = createClient({
      ...options,
      authorization: () => `Bearer ${++count}`,
      fetch: network.fetch,
    });
    await client(whoami);
    await client(whoami);
    expect(network.sent.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  });

  it("sends a body only to endpoints that accept a body", async () => {
    const network = fakeNetwork();
    const client = createClient({ ...options, fetch: network.fetch });
    await client(logInWithTotp, { body: { code: "123456" } });
    await client(whoami);
    expect(network.sent[0]?.body).toBe('{"code":"123456"}');
    expect(network.sent[1]).not.toHaveProperty("body");
  });

  it("returns the data of a response, the whole page of a list, and the raw response otherwise [S7.2] [S3.4]", async () => {
    const client = createClient({ ...options, fetch: fakeNetwork().fetch });
    expect(await client(whoami)).toBe("the data");
    expect(await client(listNetworks)).toEqual({ data: "the data", metadata: { page: 1 } });
    const network = fakeNetwork(() => new Response(":\n\n"));
    const response = await createClient({ ...options, fetch: network.fetch })(streamEvents);
    expect(await response.text()).toBe(":\n\n");
    expect(network.sent[0]?.headers.accept).toBe("text/event-stream");
  });

  it.each([
    ["an empty response", () => new Response(null, { status: 204 })],
    ["an empty body", () => new Response("")],
    ["an incomplete body", () => new Response('{"data": {"id')],
    ["a proxy's HTML page", () => new Response("<html></html>")],
    ["null", () => Response.json(null)],
    ["no data", () => Response.json({ metadata: {} })],
  ])("rejects %s as a response [S8.2]", async (_case, createResponse) => {
    const client = createClient({ ...options, fetch: fakeNetwork(createResponse).fetch });
    const error: unknown = await client(whoami).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toBe("The server sent an invalid response. Try again in a moment.");
  });

  it("throws an error for the status, and rethrows network errors", async () => {
    const missing = fakeNetwork(() => Response.json({ errors: [] }, { status: 404 }));
    const lost = createClient({ ...options, fetch: missing.fetch });
    await expect(lost(getNetwork, { params: { networkID: "x" } })).rejects.toBeInstanceOf(NotFoundError);
    const offline = createClient({
      ...options,
      fetch: () => Promise.reject(new TypeError("Failed to fetch")),
    });
    await expect(offline(whoami)).rejects.toThrow(TypeError);
  });

  it("sends another request ID with each request, which an error has if the response has none", async () => {
    const network = fakeNetwork(() => new Response("Bad gateway", { status: 502 }));
    const client = createClient({ ...options, fetch: network.fetch });
    const errors = [await client(whoami).catch(readRequestID), await client(whoami).catch(readRequestID)];
    expect(errors).toEqual(network.sent.map(({ headers }) => headers["x-request-id"]));
    expect(new Set(errors).size).toBe(2);
    const invalid = fakeNetwork(() => new Response("<html></html>"));
    const rejected = await createClient({ ...options, fetch: invalid.fetch })(whoami).catch(readRequestID);
    expect(rejected).toBe(invalid.sent[0]?.headers["x-request-id"]);
  });

  it("prefers the request ID of the response in an error", async () => {
    const network = fakeNetwork(
      () => new Response("", { status: 500, headers: { "x-request-id": "req-1" } }),
    );
    const client = createClient({ ...options, fetch: network.fetch });
    expect(await client(whoami).catch(readRequestID)).toBe("req-1");
  });

  it("can be aborted", async () => {
    const network = fakeNetwork();
    const { signal } = new AbortController();
    await createClient({ ...options, fetch: network.fetch })(whoami, { signal });
    expect(network.sent[0]?.signal).toBe(signal);
  });

  it("stays at the API's base URL, whatever an ID contains [S7.27]", async () => {
    const network = fakeNetwork();
    const client = createClient({ ...options, fetch: network.fetch });
    await client(getNetwork, { params: { networkID: "../../evil?x=1#y" } });
    await client(getNetwork, { params: { networkID: "//evil.example.com" } });
    expect(network.sent.map(({ url }) => url)).toEqual([
      "https://api.example.com/v1/networks/..%2F..%2Fevil%3Fx%3D1%23y",
      "https://api.example.com/v1/networks/%2F%2Fevil.example.com",
    ]);
  });
});

describe("the path of a request", () => {
  it("encodes parameters and the query without unset values [S7.10]", () => {
    const query = { includeCounts: true, pageSize: 25, cursor: "a+b/c=", none: undefined, nil: null };
    expect(pathOf(listNetworks, { query })).toBe(
      "/v1/networks?includeCounts=true&pageSize=25&cursor=a%2Bb%2Fc%3D",
    );
    expect(pathOf(listNetworks)).toBe("/v1/networks");
    expect(pathOf(listNetworks, { query: { a: ["x", "y"] } })).toBe("/v1/networks?a=x&a=y");
    expect(pathOf(getNetwork, { params: { networkID: "network-é" } })).toBe("/v1/networks/network-%C3%A9");
  });

  it("requires every parameter", () => {
    expect(() => pathOf(getNetwork)).toThrow("/v1/networks/{networkID} requires the parameter networkID");
  });
});
