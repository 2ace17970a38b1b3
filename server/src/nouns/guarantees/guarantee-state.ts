/** Whether guarantees hold at the moment, which is computed whenever they are read. */
import type { Counterexample, Guarantee } from "@lightkeeper/contract";
import { type AccessGuarantee, evaluateGuarantee } from "@lightkeeper/nebula/access";
import type { LoadedNetwork } from "../../features/access/answers/loaded-network.ts";
import { presentCounterexample } from "../../features/access/answers/present.ts";
import type { GuaranteeRow } from "./guarantees.queries.ts";

export interface GuaranteeResult {
  readonly state: "failing" | "holds" | "noHosts";
  readonly pairCount: number;
  readonly brokenPairCount: number;
  readonly counterexample: Counterexample | null;
}

/** The sum over the guarantee's network, or over all networks. */
export function evaluateInNetworks(
  networks: readonly LoadedNetwork[],
  guarantee: AccessGuarantee & Pick<Guarantee, "networkID">,
): GuaranteeResult {
  const included = networks.filter(({ id }) => guarantee.networkID === null || guarantee.networkID === id);
  const results = included.map((loaded) => {
    const { pairs, brokenPairs, violation } = evaluateGuarantee(loaded.network, guarantee);
    return { pairs, brokenPairs, counterexample: violation && presentCounterexample(loaded, violation) };
  });
  const pairCount = results.reduce((sum, { pairs }) => sum + pairs, 0);
  const brokenPairCount = results.reduce((sum, { brokenPairs }) => sum + brokenPairs, 0);
  return {
    state: findState(pairCount, brokenPairCount),
    pairCount,
    brokenPairCount,
    counterexample: results.find(({ counterexample }) => counterexample)?.counterexample ?? null,
  };
}

function findState(pairCount: number, brokenPairCount: number): GuaranteeResult["state"] {
  if (pairCount === 0) return "noHosts";
  return brokenPairCount > 0 ? "failing" : "holds";
}

export const toAccessGuarantee = (row: GuaranteeRow) => ({
  id: row.id,
  type: row.type,
  source: row.source,
  destination: row.destination,
  protocol: row.protocol,
  portRange: row.port_range,
  networkID: row.network_id,
});

/** Null once it has ended. */
function presentSuspension(row: GuaranteeRow, now: Date): Guarantee["suspension"] {
  const { suspended_until: until, suspension_reason: reason } = row;
  return until !== null && reason !== null && until > now ? { reason, until: until.toISOString() } : null;
}

export interface EvaluatedGuarantee {
  readonly row: GuaranteeRow;
  readonly result: GuaranteeResult;
  readonly rejectedChangeCount: number;
}

export function presentGuarantee(
  { row, result, rejectedChangeCount }: EvaluatedGuarantee,
  now: Date,
): Guarantee {
  const suspension = presentSuspension(row, now);
  const isBroken = result.brokenPairCount > 0;
  return {
    ...toAccessGuarantee(row),
    ...result,
    description: row.description,
    suspension,
    state: suspension ? "suspended" : result.state,
    failingSince: isBroken ? (row.failing_since?.toISOString() ?? null) : null,
    rejectedChangeCount,
    createdAt: row.created_at.toISOString(),
    modifiedAt: row.modified_at.toISOString(),
  };
}
