/** Guarantees in the model: every pair of hosts is evaluated. */
import { allow, type Traffic } from "./reachability.ts";
import type { ModelGuarantee, ModelHost, Organization, Selector } from "./state.ts";

const isSelected = (selector: Selector, host: ModelHost): boolean => {
  if (selector.type === "any") return true;
  if (selector.type === "role") return host.roleID === selector.id;
  return selector.type === "tag" ? host.tags.includes(selector.id) : host.id === selector.id;
};

/** In the model a guarantee is about one port at most, so that a pair either breaks it or doesn't. */
const trafficOf = ({ protocol, portRange }: ModelGuarantee): Traffic => ({
  protocol,
  port: portRange?.from ?? null,
});

interface Evaluation {
  pairs: string[];
  broken: string[];
}

/** Pairs of different hosts in the same network, by their IDs. */
export function evaluate(organization: Organization, guarantee: ModelGuarantee): Evaluation {
  const { source, destination, type, networkID } = guarantee;
  const hosts = organization.hosts.filter((host) => networkID === null || host.networkID === networkID);
  const pairs = hosts
    .filter((host) => isSelected(source, host))
    .flatMap((from) =>
      hosts
        .filter((to) => isSelected(destination, to) && to.id !== from.id && to.networkID === from.networkID)
        .map((to) => ({ from, to })),
    );
  const isBroken = ({ from, to }: (typeof pairs)[number]) =>
    allow(organization, from, to, trafficOf(guarantee)) === (type === "MUST_NEVER_REACH");
  const keyOf = ({ from, to }: (typeof pairs)[number]) => `${from.id} ${to.id}`;
  return { pairs: pairs.map(keyOf), broken: pairs.filter(isBroken).map(keyOf) };
}

/** The guarantees that a change breaks for further pairs of hosts. */
export function findNewViolations(before: Organization, after: Organization): string[] {
  return after.guarantees
    .filter(({ id, isSuspended }) => !isSuspended && before.guarantees.some((each) => each.id === id))
    .filter((guarantee) => {
      const brokenBefore = new Set(evaluate(before, guarantee).broken);
      return evaluate(after, guarantee).broken.some((pair) => !brokenBefore.has(pair));
    })
    .map(({ id }) => id);
}
