/** Sends messages of a host without its agent, signed with keys that it had at some time. */
import { createPrivateKey, sign } from "node:crypto";
import type { HostState } from "./overlay-host.ts";

export interface Caller {
  server: string;
  /** The server's replies depend on it. */
  nebulaVersion: string;
}

export async function sendAsHost(
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
  const response = await fetch(new URL("/v1/dnclient", server), { method: "POST", headers, body });
  const { data } = (await response.json()) as { data?: unknown };
  return { status: response.status, data };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

function keyOf(pem: string) {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64");
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
