/** Pages of the list of hosts and their counts, for 1,000 and 100,000 hosts. */
import { compare, toFigure } from "./comparison.ts";
import { type Figure, median } from "./figure.ts";
import { findCases, type ListCase } from "./host-list-cases.ts";
import { type Organization, startSystem, type System } from "./in-process-system.ts";

const [SMALL, LARGE] = [1000, 100_000];
const PAGE_SIZE = 25;
const ROUNDS = 25;
const RATIO_LIMIT = 1.3;
const COUNT_MS_LIMIT = 20;
const SEARCH_COUNT_MS_LIMIT = 50;
const DEEP_ROWS = 1000 * PAGE_SIZE;
const STRIDE = 500;

type Query = ListCase["query"];

function pathOf(query: Query, further: Record<string, string | number>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, ...further }))
    for (const item of [value].flat()) parameters.append(name, String(item));
  return `/v2/hosts?${parameters.toString()}`;
}

/** The cursor of the page in the middle, at most the 1,000th. */
async function findCursor({ request }: Organization, query: Query): Promise<string> {
  const counted = await request("GET", pathOf(query, { pageSize: 1, includeCounts: "true" }));
  let left = Math.min(DEEP_ROWS, Math.floor((counted.body.metadata.totalCount ?? 0) / 2));
  let cursor: string | undefined;
  while (left > 0) {
    const pageSize = Math.min(STRIDE, left);
    const { body } = await request("GET", pathOf(query, { pageSize, ...(cursor && { cursor }) }));
    cursor = body.metadata.nextCursor;
    left -= pageSize;
  }
  if (!cursor) throw new Error("The list is empty");
  return cursor;
}

async function createPage(organization: Organization, { query, isDeep }: ListCase) {
  const path = pathOf(query, {
    pageSize: PAGE_SIZE,
    ...(isDeep && { cursor: await findCursor(organization, query) }),
  });
  const { body } = await organization.request("GET", path);
  const rows = (body.data as unknown[]).length;
  return { rows, measure: async () => (await organization.request("GET", path)).serverMs };
}

async function comparePages(
  small: [Organization, ListCase],
  large: [Organization, ListCase],
): Promise<Figure> {
  const [smallPage, largePage] = [await createPage(...small), await createPage(...large)];
  const { what, sortedRatio } = large[1];
  const ratioLimit = sortedRatio ? sortedRatio(large[0].hosts / small[0].hosts) : RATIO_LIMIT;
  if (smallPage.rows !== largePage.rows)
    throw new Error(`${what}: can't compare a page of ${smallPage.rows} rows with ${largePage.rows} rows`);
  const compared = await compare(smallPage.measure, largePage.measure, { rounds: ROUNDS, limit: ratioLimit });
  return toFigure(`${what} (${largePage.rows})`, compared);
}

/** The time of a page of one row with its count, minus the time without. */
async function measureCount({ request, hosts }: Organization, { what, query }: ListCase): Promise<Figure> {
  const times = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const counted = await request("GET", pathOf(query, { pageSize: 1, includeCounts: "true" }));
    const bare = await request("GET", pathOf(query, { pageSize: 1 }));
    if (round === 0) continue;
    times.with.push(counted.serverMs);
    times.without.push(bare.serverMs);
  }
  const isSearch = "filter.search" in query;
  return {
    what: `count of ${what}`,
    detail: `server time, median of ${ROUNDS}`,
    value: Math.max(0, median(times.with) - median(times.without)),
    unit: " ms",
    // A count without a search is a sum over groups of hosts. A search reads the index of every host.
    limit: isSearch ? SEARCH_COUNT_MS_LIMIT * Math.max(1, hosts / LARGE) : COUNT_MS_LIMIT,
    limitIs: "at most",
  };
}

/** Compares every page of the large organization with that of the small one, and measures every count of the large one. */
export async function measureHostLists(
  system: System,
  small: Organization,
  large: Organization,
): Promise<Figure[]> {
  const [smallCases, largeCases] = [await findCases(system, small), await findCases(system, large)];
  const figures: Figure[] = [];
  for (const [index, smallCase] of smallCases.pages.entries()) {
    const largeCase = largeCases.pages[index];
    if (largeCase) figures.push(await comparePages([small, smallCase], [large, largeCase]));
  }
  for (const countCase of largeCases.counts) figures.push(await measureCount(large, countCase));
  return figures;
}

export async function hostLists(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const small = await system.createOrganization(SMALL);
    const large = await system.createOrganization(LARGE);
    await system.settle();
    return await measureHostLists(system, small, large);
  } finally {
    await system.stop();
  }
}
