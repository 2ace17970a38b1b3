/** Limits and permissions that must not depend on what clients say about themselves, as NetBird's limit did. */
import { createNetwork, sendMagicLink } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertApiKey } from "../api-keys.ts";
import { rawRequest } from "../raw-request.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const TRUSTED_CLIENTS: Record<string, string>[] = [
  { "user-agent": "Terraform/1.9.0 (+https://www.terraform.io)" },
  { "user-agent": "lightkeeper-agent/1.0.0 (linux; arm64) nebula/1.9.3" },
  { "user-agent": "kube-probe/1.31" },
  { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" },
  { "x-forwarded-for": "127.0.0.1" },
  { "x-real-ip": "127.0.0.1" },
  { forwarded: "for=127.0.0.1;proto=https" },
  { "cf-connecting-ip": "127.0.0.1" },
  { "true-client-ip": "127.0.0.1" },
  { "x-original-url": "/healthz" },
  { "x-rewrite-url": "/healthz" },
  { referer: "http://localhost:8080/" },
  { origin: "http://localhost:8080" },
  { host: "localhost" },
];

it("a limit counts every client alike, whatever it says about itself", async () => {
  const email = "limited@example.com";
  const request = (headers: Record<string, string>) =>
    rawRequest(`${server.url}${sendMagicLink.path}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ email }),
    });
  for (let attempt = 0; attempt < 5; attempt++) expect((await request({})).status).toBe(200);
  for (const headers of TRUSTED_CLIENTS) expect((await request(headers)).status).toBe(429);
});

it("no header grants access or another role", async () => {
  const { token } = await insertApiKey(server, owner, ["networks:list"]);
  const identities: Record<string, string>[] = [
    ...TRUSTED_CLIENTS,
    { "x-user-id": owner.organizationID },
    { "x-organization-id": owner.organizationID },
    { "x-forwarded-user": "root" },
    { "x-remote-user": "root" },
    { "x-role": "owner" },
    { "x-scopes": "networks:create" },
  ];
  for (const identity of identities) {
    const send = (headers: Record<string, string>) =>
      rawRequest(`${server.url}${createNetwork.path}`, {
        method: "POST",
        headers: { ...identity, ...headers },
        body: '{"name":"Forged","cidr":"10.9.0.0/24"}',
      });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: `Bearer ${token}` })).status).toBe(403);
  }
});
