/** Clients that send one request after the other, each on its own connection. */
import { Agent, request as send } from "node:http";

export interface LoadRequest {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  body?: () => string;
}

export interface LoadResult {
  perSecond: number;
  /** Milliseconds of each request. */
  times: number[];
}

function sendOnce(agent: Agent, { method, url, headers, body }: LoadRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      { method, agent, headers: { ...headers, ...(body && { "content-type": "application/json" }) } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`)),
        );
      },
    );
    request.on("error", reject);
    request.end(body?.());
  });
}

/** Sends requests for this time. Every request must succeed. */
export async function sendFor(ms: number, clients: number, request: LoadRequest): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  const startedAt = performance.now();
  const runClient = async () => {
    while (performance.now() - startedAt < ms) {
      const sentAt = performance.now();
      await sendOnce(agent, request);
      times.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return { perSecond: times.length / seconds, times };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
