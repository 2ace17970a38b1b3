import { hostKinds, type HostKind } from "../references/host-link.tsx";

const searches: Partial<Record<HostKind, string>> = {};

/** The list as it was last looked at: whoever deletes one of its hosts comes back to that. */
export const rememberList = (kind: HostKind, search: string): void => void (searches[kind] = search);

export const listAddress = (kind: HostKind): string => hostKinds[kind].path + (searches[kind] ?? "");
