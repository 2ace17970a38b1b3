import { useQuery } from "@tanstack/react-query";
import { hostQuery } from "../references/hosts.queries.ts";
import { useRoleName } from "../references/roles.queries.ts";
import type { AccessParty } from "./access-question.ts";

/** A side of the question, as shown. */
export interface ShownParty {
  kind: AccessParty["kind"] | undefined;
  /** Empty until it is loaded. */
  name: string;
  /** "API server · 10.10.0.42" */
  description: string;
  networkID: string | undefined;
}

/** An answer about two hosts may be there before the hosts. */
export const nameParty = (party: ShownParty, host: { name: string } | null | undefined): ShownParty =>
  party.kind === "host" && host && party.name === "" ? { ...party, name: host.name } : party;

function describe(party: AccessParty | undefined, details: readonly (string | undefined)[]): string {
  if (party?.kind === "role") return "All hosts with this role";
  if (party?.kind === "address") return "Address behind a route";
  return details.filter(Boolean).join(" · ");
}

export function useParty(party: AccessParty | undefined): ShownParty {
  const hostID = party?.kind === "host" ? party.id : undefined;
  const { data: host } = useQuery({ ...hostQuery(hostID ?? ""), enabled: hostID !== undefined });
  const roleName = useRoleName(party?.kind === "role" ? party.id : (host?.roleID ?? null));
  const name = party?.kind === "role" ? roleName : host?.name;
  return {
    kind: party?.kind,
    name: (party?.kind === "address" ? party.address : name) ?? "",
    description: describe(party, [roleName, ...(host?.ipAddresses ?? [])]),
    networkID: host?.networkID,
  };
}
