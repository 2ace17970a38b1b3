import { hostKinds, type HostKind } from "./host-link.tsx";

const searches: Partial<Record<HostKind, string>> = {};

/** Keeps the filters of the list, to return to them after a host is deleted. */
export const rememberListSearch = (kind: HostKind, search: string): void => void (searches[kind] = search);

export const lastListPath = (kind: HostKind): string => hostKinds[kind].path + (searches[kind] ?? "");
