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

/** Drops search and sort parameters: the API supports neither for CAs. */
export const casPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listCertificateAuthorities, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** Every CA, to find the first expiry and the rotations in progress. */
export const allCasQuery = queryOptions({
  queryKey: keyOf(listCertificateAuthorities, { all: true }),
  queryFn: (): Promise<CertificateAuthority[]> => listAll(listCertificateAuthorities),
});

const POLL_MS = 5000;

export const isInProgress = (rotation: CaRotation | null | undefined): rotation is CaRotation =>
  rotation !== null && rotation !== undefined && rotation.step !== "DONE";

/** Polls while a rotation is in progress: the progress of single hosts sends no event. */
export const rotationQuery = (networkID: string) => ({
  ...read(getCaRotation, { params: { networkID } }),
  refetchInterval: ({ state }: { state: { data?: CaRotation | null | undefined } }) =>
    isInProgress(state.data) ? POLL_MS : false,
});
