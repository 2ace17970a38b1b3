import {
  createClient,
  PAGE_SIZE_MAX,
  type Client,
  type DataOf,
  type Endpoint,
  type Input,
  type Page,
} from "@lightkeeper/contract";
import { config } from "./config.ts";
import { watchedFetch } from "./connection.ts";
import { authorization } from "./tokens.ts";

export const api: Client = createClient({ baseURL: config.apiURL, authorization, fetch: watchedFetch });

/** The client for callers that are generic over the endpoint and cast the response themselves. */
export const callAny = api as (endpoint: Endpoint, input?: object) => Promise<unknown>;

export const LIST_PAGES_MAX = 10;

type ListEndpoint = Endpoint & { response: { kind: "list" } };

/** Every item of a list, up to `pages` pages of 500. */
export async function listAll<E extends ListEndpoint>(
  endpoint: E,
  input: Omit<Input<E>, "body"> = {} as Omit<Input<E>, "body">,
  { pages = LIST_PAGES_MAX }: { pages?: number } = {},
): Promise<DataOf<E>> {
  const { query: filters, ...rest } = input as { query?: object };
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const query = { ...filters, pageSize: PAGE_SIZE_MAX, cursor };
    const { data, metadata } = (await callAny(endpoint, { ...rest, query })) as Page<unknown>;
    items.push(...data);
    cursor = metadata.nextCursor;
    if (!metadata.hasNextPage || !cursor) break;
  }
  return items as DataOf<E>;
}
