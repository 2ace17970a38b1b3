/** An API client that reaches a name on this machine through HTTPS and trusts one CA only. */
import { request } from "node:https";
import { type Client, createClient } from "@lightkeeper/contract";

interface Endpoint {
  url: string;
  /** The port that the proxy listens on. */
  port: number;
  /** The certificate of the CA, in PEM. */
  ca: string;
}

export function createHttpsClient({ url, port, ca }: Endpoint, ...tokens: string[]): Client {
  return createClient({
    baseURL: url,
    authorization: () => (tokens.length > 0 ? `Bearer ${tokens.join(" ")}` : undefined),
    fetch: (address, init) => send(address as URL, { port, ca }, init),
  });
}

function send(
  { hostname, pathname, search }: URL,
  { port, ca }: Omit<Endpoint, "url">,
  { method = "GET", headers, body }: RequestInit = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        ca,
        servername: hostname,
        method,
        path: pathname + search,
        headers: { ...(headers as Record<string, string>), host: hostname },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () =>
          resolve(new Response(Buffer.concat(chunks), { status: incoming.statusCode ?? 0 })),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body as string | undefined);
  });
}
