/** The list of guarantees, which is filtered and sorted in memory because its order depends on computed states. */
import {
  type Guarantee,
  guaranteeStates,
  type listGuarantees as listEndpoint,
  type QueryOf,
} from "@lightkeeper/contract";
import type { LoadNetworks } from "../../features/access/answers/loaded-network.ts";
import type { Reader } from "../../infrastructure/db/client.ts";
import { type Order, type Page, pageSorted } from "../../infrastructure/db/pages.ts";
import { evaluateInNetworks, presentGuarantee, toAccessGuarantee } from "./guarantee-state.ts";
import { countRejectedChanges, findNames, type GuaranteeRow, listGuarantees } from "./guarantees.queries.ts";

export interface GuaranteeReader {
  db: Reader;
  networks: LoadNetworks;
  organizationID: string;
  now: Date;
}

export async function evaluateRows(
  { db, networks, organizationID, now }: GuaranteeReader,
  rows: readonly GuaranteeRow[],
): Promise<Guarantee[]> {
  if (rows.length === 0) return [];
  const loaded = await networks.all(organizationID);
  const counts = await countRejectedChanges(db, organizationID, { ids: rows.map(({ id }) => id), now });
  return rows.map((row) => {
    const result = evaluateInNetworks(loaded, toAccessGuarantee(row));
    return presentGuarantee({ row, result, rejectedChangeCount: counts.get(row.id) ?? 0 }, now);
  });
}

const rankOf = ({ state }: Guarantee) => guaranteeStates.indexOf(state);

/** Failing ones first. */
const ORDER: Order<Guarantee> = {
  keys: [
    { column: "state", kind: "number", of: (guarantee) => String(rankOf(guarantee)) },
    { column: "created_at", kind: "instant", of: ({ createdAt }) => createdAt },
    { column: "id", kind: "text", of: ({ id }) => id },
  ],
};

export async function readGuaranteePage(
  reader: GuaranteeReader,
  query: QueryOf<typeof listEndpoint>,
): Promise<Page<Guarantee>> {
  const { "filter.search": search, "filter.state": state, "filter.networkID": networkID } = query;
  const rows = await listGuarantees(reader.db, reader.organizationID);
  const inNetwork = rows.filter(
    ({ network_id }) => networkID === undefined || network_id === null || network_id === networkID,
  );
  const found = search ? await searchRows(reader, inNetwork, search) : inNetwork;
  const guarantees = await evaluateRows(reader, found);
  const matching = guarantees.filter((guarantee) => state === undefined || guarantee.state === state);
  // Rows are in the order of their creation, which a stable sort keeps.
  return pageSorted(
    matching.toSorted((a, b) => rankOf(a) - rankOf(b)),
    ORDER,
    query,
  );
}

/** By description, and by the names of roles, tags and hosts. */
async function searchRows(
  { db, organizationID }: GuaranteeReader,
  rows: readonly GuaranteeRow[],
  search: string,
): Promise<GuaranteeRow[]> {
  const selectors = rows.flatMap(({ source, destination }) => [source, destination]);
  const idsOf = (type: "role" | "host") =>
    selectors.flatMap((selector) => (selector.type === type ? [selector.id] : []));
  const names = new Map([
    ...(await findNames(db, organizationID, "roles", idsOf("role"))),
    ...(await findNames(db, organizationID, "hosts", idsOf("host"))),
  ]);
  const textOf = (selector: GuaranteeRow["destination"]) => {
    if (selector.type === "any") return "";
    if (selector.type === "subnet") return selector.cidr;
    return selector.type === "tag" ? selector.id : (names.get(selector.id) ?? "");
  };
  const text = search.toLowerCase();
  return rows.filter(({ description, source, destination }) =>
    [description, textOf(source), textOf(destination)].some((part) => part.toLowerCase().includes(text)),
  );
}
