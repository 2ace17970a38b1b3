/** The guarantees that a change would break, each with an example. */
import type { BrokenGuarantee } from "@lightkeeper/contract";
import { type AccessGuarantee, findNewViolations } from "@lightkeeper/nebula/access";
import type { UncommittedModel } from "./access-models.ts";
import type { GuaranteeState } from "./access-state.queries.ts";
import { presentCounterexample } from "./answers/present.ts";
import { toLoadedNetwork } from "./load-networks.ts";

const toAccessGuarantee = ({ id, type, source, destination, protocol, portRange }: GuaranteeState) =>
  ({ id, type, source, destination, protocol, portRange }) satisfies AccessGuarantee;

const isSuspended = ({ suspendedUntil }: GuaranteeState, now: Date) =>
  suspendedUntil !== null && new Date(suspendedUntil) > now;

export function findBrokenGuarantees(
  { before, after, changed }: UncommittedModel,
  now: Date,
): BrokenGuarantee[] {
  const active = [...after.guarantees.values()].filter((guarantee) => !isSuspended(guarantee, now));
  const broken = new Map<string, BrokenGuarantee>();
  for (const model of after.networks.values()) {
    const previous = before.networks.get(model.id)?.network;
    if (!previous || previous === model.network) continue;
    const applicable = active.filter(
      ({ id, networkID }) => !broken.has(id) && (networkID ?? model.id) === model.id,
    );
    const found = findNewViolations(previous, model.network, applicable.map(toAccessGuarantee), changed);
    for (const { guarantee, violation } of found)
      broken.set(guarantee.id, {
        id: guarantee.id,
        description: after.guarantees.get(guarantee.id)?.description ?? "",
        counterexample: presentCounterexample(toLoadedNetwork(after, model), violation),
      });
  }
  return [...broken.values()];
}
