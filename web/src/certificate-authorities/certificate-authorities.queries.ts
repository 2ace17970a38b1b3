import {
  getCaRotation,
  listCertificateAuthorities,
  type CaRotation,
  type CertificateAuthority,
} from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

/** Whatever else an address says, the API neither searches nor sorts authorities. */
export const casPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listCertificateAuthorities, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** For what concerns them all: which end first, and which are being replaced. */
export const allCasQuery = queryOptions({
  queryKey: keyOf(listCertificateAuthorities, { all: true }),
  queryFn: (): Promise<CertificateAuthority[]> => listAll(listCertificateAuthorities),
});

const POLL_MS = 5000;

export const isUnderWay = (rotation: CaRotation | null | undefined): rotation is CaRotation =>
  rotation !== null && rotation !== undefined && rotation.step !== "DONE";

/** Asked again while it is under way: that a host has done its part is not worth an event to every console. */
export const rotationQuery = (networkID: string) => ({
  ...read(getCaRotation, { params: { networkID } }),
  refetchInterval: ({ state }: { state: { data?: CaRotation | null | undefined } }) =>
    isUnderWay(state.data) ? POLL_MS : false,
});
