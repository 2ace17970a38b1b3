import { matrixDetails } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useSearchParams } from "react-router";
import { useListState } from "../lib/list-state.ts";
import { useNetworkFilter } from "../references/network-filter.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { parsePort } from "../rules/typed-port-values.ts";
import { useIsPhone } from "../ui/base/phone.ts";
import type { MatrixQuery } from "./access.queries.ts";

export type MatrixDetail = (typeof matrixDetails)[number];
export type MatrixView = "grid" | "table";

const filters = { networkID: "any", port: "any", tag: "any" } as const;

function setOrDelete(next: URLSearchParams, name: string, value: string | undefined): void {
  if (value === undefined) next.delete(name);
  else next.set(name, value);
}

/** Network, filters, detail and view of the matrix, all of which are in the URL. */
export function useMatrixState() {
  const list = useListState<never, keyof typeof filters>({ filters });
  const [parameters] = useSearchParams();
  const { pathname } = useLocation();
  const isPhone = useIsPhone();
  const remembered = useNetworkFilter();
  const networks = useQuery(allNetworksQuery);

  const chosenID = list.filters.networkID[0] ?? remembered;
  const network = networks.data?.find(({ id }) => id === chosenID) ?? networks.data?.[0];
  const detail = matrixDetails.find((one) => one === parameters.get("detail")) ?? "groups";
  const view: MatrixView =
    parameters.get("view") === "table" || (isPhone && parameters.get("view") !== "grid") ? "table" : "grid";
  const port = parsePort(list.filters.port[0] ?? "");
  const [tag] = list.filters.tag;
  const search = list.query["filter.search"];
  const query: MatrixQuery = {
    detail,
    ...(search && { "filter.search": search }),
    ...(tag && { "filter.tag": tag }),
    ...(port !== undefined && { "filter.port": port }),
  };

  const set = (name: string, value: string | undefined) =>
    list.write((next) => setOrDelete(next, name, value), { replace: true });
  function viewPath(next: MatrixView): string {
    const following = new URLSearchParams(parameters);
    following.set("view", next);
    return `${pathname}?${following}`;
  }

  return {
    list,
    networks,
    network,
    detail,
    view,
    query,
    pin: parameters.get("pin") ?? undefined,
    isFiltered: search !== undefined || tag !== undefined || port !== undefined,
    setDetail: (next: MatrixDetail) => set("detail", next),
    setPin: (next: string | undefined) => set("pin", next),
    viewPath,
  };
}

export type MatrixState = ReturnType<typeof useMatrixState>;
