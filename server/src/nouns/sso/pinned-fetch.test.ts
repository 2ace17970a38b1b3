import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { CustomFetchOptions } from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../infrastructure/config/config.ts";
import type { OutgoingEdges } from "../../infrastructure/outgoing/pinned-connections.ts";
import { createPinnedFetch } from "./pinned-fetch.ts";
import { isPublicAddress } from "../../infrastructure/outgoing/public-addresses.ts";

let server: Server;
let port: number;
const hosts: (string | undefined)[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.end("here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const fetchOptions: CustomFetchOptions = { method: "GET", headers: {}, body: undefined, redirect: "manual" };
const fetching = (edges: OutgoingEdges, config: Partial<Config> = {}) => {
  const pinned = createPinnedFetch({ appEnv: "local", oidcAllowedHosts: [], ...config }, edges);
  return (url: string) => pinned(url, fetchOptions);
};
const to = (...addresses: string[]) => ({
  resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
});

describe("the address of a provider", () => {
  it("is public in any notation", () => {
    for (const address of ["8.8.8.8", "100.63.255.255", "172.32.0.1", "2606:4700::1111"])
      expect([address, isPublicAddress(address)]).toEqual([address, true]);
    for (const address of [
      "0.0.0.0",
      "10.1.2.3",
      "100.64.0.1",
      "127.0.0.1",
      "169.254.169.254",
      "172.16.0.1",
      "192.168.1.1",
      "198.18.0.1",
      "224.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::ffff:8.8.8.8",
      "::ffff:10.0.0.1",
      "64:ff9b::a00:1",
      "2002:a00:1::",
      "fc00::1",
      "fd12:3456::1",
      "fe80::1",
      "ff02::1",
    ])
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
  });

  it("is rejected when it is private, as a literal in any notation or behind a name", async () => {
    for (const url of [
      "http://127.0.0.1",
      "http://0x7f.1",
      "http://2130706433",
      "http://[::1]",
      "http://[::ffff:7f00:1]",
      "http://169.254.169.254/latest/meta-data",
    ])
      await expect(fetching(to())(url)).rejects.toThrow("has a private address");
    const named = fetching(to("127.0.0.1"))(`http://sso.example:${port}`);
    await expect(named).rejects.toThrow("sso.example has a private address");
    // A name is rejected even if only one of its addresses is private.
    const both = fetching(to("8.8.8.8", "127.0.0.1"))(`http://sso.example:${port}`);
    await expect(both).rejects.toThrow("sso.example has a private address");
    expect(hosts).toEqual([]);
  });

  it("may be private if the operator allows that host", async () => {
    const fetch = fetching(to("127.0.0.1"), { oidcAllowedHosts: ["sso.internal"] });
    expect(await (await fetch(`http://sso.internal:${port}`)).text()).toBe("here");
    expect(hosts.splice(0)).toEqual([`sso.internal:${port}`]);
    await expect(fetch(`http://other.internal:${port}`)).rejects.toThrow("has a private address");
  });

  it("is fixed after the check, whatever the name resolves to later", async () => {
    const answers = ["127.0.0.1", "10.0.0.1"];
    let lookups = 0;
    const resolve = async () => [{ address: answers[lookups++] ?? "", family: 4 }];
    const fetch = fetching({ resolve }, { oidcAllowedHosts: ["sso.internal"] });
    await fetch(`http://sso.internal:${port}/a`);
    expect(await (await fetch(`http://sso.internal:${port}/b`)).text()).toBe("here");
    expect(lookups).toBe(1);
    // A name that becomes private between two sign-ins is resolved again.
    const flipping = { resolve: async () => [{ address: "10.0.0.1", family: 4 }] };
    await expect(fetching(flipping)(`http://sso.example:${port}`)).rejects.toThrow("has a private address");
  });

  it("starts with https except on a local server", async () => {
    const fetch = fetching(to("127.0.0.1"), { appEnv: "production", oidcAllowedHosts: ["sso.internal"] });
    await expect(fetch(`http://sso.internal:${port}`)).rejects.toThrow("https://");
  });

  it("is reported if it does not exist or does not resolve in time", async () => {
    const unknown = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    await expect(fetching({ resolve: unknown })("https://sso.example")).rejects.toThrow(
      "sso.example could not be reached (ENOTFOUND)",
    );
    const never = () => new Promise<never>(() => undefined);
    await expect(fetching({ resolve: never, timeoutMs: 10 })("https://sso.example")).rejects.toThrow(
      "did not respond within 0.01 seconds",
    );
    await expect(fetching(to())("https://sso.example")).rejects.toThrow("has no address");
  });
});
