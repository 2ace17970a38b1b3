/** The list of hosts, its searches, counts and export, for 1,000,000 hosts. */
import { PAGE_SIZE_MAX } from "@lightkeeper/contract";
import type { Figure } from "./figure.ts";
import { measureHostLists } from "./host-lists.ts";
import { type Organization, startSystem } from "./in-process-system.ts";

const [SMALL, LARGE] = [1000, 1_000_000];
const EXPORTED_PER_SECOND_LIMIT = 5000;

/** As the console does: one page after the other. */
async function measureExport({ request, hosts }: Organization): Promise<Figure> {
  const startedAt = performance.now();
  let exported = 0;
  let cursor = "";
  do {
    const path = `/v2/hosts?${new URLSearchParams({ pageSize: String(PAGE_SIZE_MAX), cursor }).toString()}`;
    const { body } = await request("GET", path);
    exported += (body.data as unknown[]).length;
    cursor = body.metadata.nextCursor ?? "";
  } while (cursor);
  if (exported !== hosts) throw new Error(`${exported} of ${hosts} hosts were exported`);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    what: `hosts exported a second, of ${hosts}`,
    detail: `in ${seconds.toFixed(0)} s, pages of ${PAGE_SIZE_MAX}, once`,
    value: exported / seconds,
    unit: " a second",
    limit: EXPORTED_PER_SECOND_LIMIT,
    limitIs: "at least",
  };
}

export async function millionHosts(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const small = await system.createOrganization(SMALL);
    const large = await system.createOrganization(LARGE);
    await system.settle();
    const figures = await measureHostLists(system, small, large);
    return [...figures, await measureExport(large)];
  } finally {
    await system.stop();
  }
}
