import type { AccessRule, Counterexample } from "@lightkeeper/contract";
import { rolePath } from "../references/role-link.tsx";
import { routePath } from "../references/route-link.tsx";
import { tagPath } from "../references/tag-link.tsx";
import { Code } from "../ui/text/code.tsx";
import { trafficLabel } from "../rules/traffic-labels.ts";

const rulePaths = { role: rolePath, tag: tagPath, route: routePath } as const;

/** The page on which a rule is edited. */
export const ruleSourcePath = ({ type, id }: AccessRule["source"]): string => rulePaths[type](id);

/** The name of the destination, or its address behind a router. */
export const destinationName = ({ host, address }: Counterexample["destination"]): string =>
  host?.name ?? address;

/** "tag debug:verbose, rule 1" */
export function RuleOrigin({ rule: { source, index } }: { rule: AccessRule }) {
  return (
    <>
      {source.type}{" "}
      <b>
        <bdi>{source.name}</bdi>
      </b>
      , rule {index + 1}
    </>
  );
}

/** "ci-1 can reach db-1 on TCP 5432, allowed by tag debug:verbose, rule 1." */
export function CounterexamplePreview({ counterexample }: { counterexample: Counterexample }) {
  const { source, destination, traffic, rule } = counterexample;
  return (
    <>
      <Code>{source.name}</Code> {rule ? "can" : "can’t"} reach <Code>{destinationName(destination)}</Code> on{" "}
      {trafficLabel([traffic])}
      {rule ? (
        <>
          , allowed by <RuleOrigin rule={rule} />.
        </>
      ) : (
        ". No rule allows the connection."
      )}
    </>
  );
}
