/** Sends sample requests to any endpoint of the contract. */
import { type Endpoint, pathOf } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import type { Sample } from "./sample-inputs.ts";
import { sampleRequests } from "./sample-requests.ts";
import type { Session, TestServer } from "./server.ts";

export function endpointNamed(name: string): Endpoint {
  const endpoint = endpoints.get(name);
  if (!endpoint) throw new Error(`No endpoint is named ${name}`);
  return endpoint;
}

export async function prepare(name: string, server: TestServer, owner: Session): Promise<Sample> {
  const sample = sampleRequests[name];
  if (!sample) throw new Error(`testing/sample-requests.ts has no request for ${name}`);
  return sample(server, owner);
}

export interface ReceivedResponse {
  status: number;
  codes: string[];
}

/** Sends the request with exactly these tokens; a stream is canceled as soon as it starts. */
export async function send(
  server: TestServer,
  name: string,
  { params = {}, query = {}, body }: Sample,
  tokens: string[],
): Promise<ReceivedResponse> {
  const endpoint = endpointNamed(name);
  const response = await fetch(new URL(pathOf(endpoint, { params, query }), server.url), {
    method: endpoint.method,
    ...(tokens.length > 0 && { headers: { authorization: `Bearer ${tokens.join(" ")}` } }),
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) await response.body?.cancel();
  const { errors = [] } = response.ok ? {} : ((await response.json()) as { errors: { code: string }[] });
  return { status: response.status, codes: errors.map(({ code }) => code) };
}
