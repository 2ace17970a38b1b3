/** A real HTTP server that records what it receives. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookReceiver {
  url: string;
  requests: ReceivedRequest[];
  /** The status of the next responses. */
  respondWith: (status: number, body?: string) => void;
  /** Called with each request before the response. */
  onRequest: (listener: ((request: ReceivedRequest) => Promise<void>) | undefined) => void;
  close: () => Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  let response = { status: 204, body: "" };
  let listener: ((request: ReceivedRequest) => Promise<void>) | undefined;
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    const received = { headers: incoming.headers, body };
    requests.push(received);
    await listener?.(received);
    outgoing.writeHead(response.status, { location: "https://elsewhere.example" }).end(response.body);
  };
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    respondWith: (status, body = "") => void (response = { status, body }),
    onRequest: (next) => void (listener = next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Verifies as the Standard Webhooks specification says, without the server's code. */
export function isSignedWith(secret: string | null, { headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from((secret ?? "").replace("whsec_", ""), "base64");
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = createHmac("sha256", key).update(signed).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => Buffer.from(signature.replace("v1,", ""), "base64"))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}
