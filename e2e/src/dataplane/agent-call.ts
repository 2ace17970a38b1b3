/** A host's own voice, from outside its agent: messages signed with whatever keys it had at some moment. */
import { createPrivateKey, sign } from "node:crypto";
import type { HostState } from "./overlay-host.ts";

export interface Caller {
  server: string;
  /** The server's answers depend on it. */
  nebulaVersion: string;
}

export async function callAs(
  { server, nebulaVersion }: Caller,
  { hostID, counter, hostKey }: HostState,
  type: string,
  value?: object,
): Promise<{ status: number; data: unknown }> {
  const payload = value === undefined ? null : base64(JSON.stringify(value));
  const message = base64(JSON.stringify({ type, value: payload, timestamp: new Date().toISOString() }));
  const signature = sign(null, Buffer.from(message), keyOf(hostKey)).toString("base64");
  const body = JSON.stringify({ version: 1, hostID, counter, message, signature });
  const headers = { "user-agent": `lightkeeper-agent/0 (linux; test) nebula/${nebulaVersion}` };
  const answer = await fetch(new URL("/v1/dnclient", server), { method: "POST", headers, body });
  const { data } = (await answer.json()) as { data?: unknown };
  return { status: answer.status, data };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

function keyOf(pem: string) {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
