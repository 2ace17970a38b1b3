/** Pages of the list of hosts and the count behind them, among 100,000 hosts and among 1,000. */
import { compare, toFigure } from "./compare.ts";
import { type Figure, median } from "./figure.ts";
import { findCases, type ListCase } from "./host-list-cases.ts";
import { type Organization, startSystem } from "./system.ts";

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
    for (const one of [value].flat()) parameters.append(name, String(one));
  return `/v2/hosts?${parameters.toString()}`;
}

/** The cursor of a page in the middle, or of the thousandth where there are more. */
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
  if (!cursor) throw new Error("There is nothing in the middle of an empty list");
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
  const [ofSmall, ofLarge] = [await createPage(...small), await createPage(...large)];
  const { what, ratioLimit = RATIO_LIMIT } = large[1];
  if (ofSmall.rows !== ofLarge.rows)
    throw new Error(`${what}: a page of ${ofSmall.rows} rows cannot be compared with one of ${ofLarge.rows}`);
  const compared = await compare(ofSmall.measure, ofLarge.measure, { rounds: ROUNDS, limit: ratioLimit });
  return toFigure(`${what} (${ofLarge.rows})`, compared);
}

/** A page of one row with its count, less the same page without. */
async function measureCount({ request }: Organization, { what, query }: ListCase): Promise<Figure> {
  const times = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const counted = await request("GET", pathOf(query, { pageSize: 1, includeCounts: "true" }));
    const bare = await request("GET", pathOf(query, { pageSize: 1 }));
    if (round === 0) continue;
    times.with.push(counted.serverMs);
    times.without.push(bare.serverMs);
  }
  return {
    what: `count of ${what}`,
    detail: `server time, median of ${ROUNDS}`,
    value: Math.max(0, median(times.with) - median(times.without)),
    unit: " ms",
    limit: "filter.search" in query ? SEARCH_COUNT_MS_LIMIT : COUNT_MS_LIMIT,
    limitIs: "at most",
  };
}

export async function hostLists(): Promise<Figure[]> {
  const system = await startSystem();
  try {
    const small = await system.createOrganization(SMALL);
    const large = await system.createOrganization(LARGE);
    await system.settle();
    const [ofSmall, ofLarge] = [await findCases(system, small), await findCases(system, large)];
    const figures: Figure[] = [];
    for (const [index, ofOne] of ofSmall.pages.entries()) {
      const ofOther = ofLarge.pages[index];
      if (ofOther) figures.push(await comparePages([small, ofOne], [large, ofOther]));
    }
    for (const one of ofLarge.counts) figures.push(await measureCount(large, one));
    return figures;
  } finally {
    await system.stop();
  }
}
