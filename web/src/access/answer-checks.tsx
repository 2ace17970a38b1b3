import type { AccessExample, AccessRule, FailedAccessCheck } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { formatNumber } from "../lib/format.ts";
import { Time } from "../ui/text/time.tsx";
import { failedCheckText } from "./failed-check-labels.tsx";

export interface AccessStep {
  id: string;
  state: "ok" | "failed" | "pending";
  title: ReactNode;
  detail?: ReactNode;
  rules?: readonly AccessRule[];
}

type Kind = FailedAccessCheck["kind"];

/** Checks that fail before the ones that are shown as passed. */
const earlyChecks: ReadonlySet<Kind> = new Set([
  "notEnrolled",
  "blocked",
  "expired",
  "sameHost",
  "otherNetwork",
  "unknownAddress",
]);

const deciderOf = ({ decidingHost, destination }: AccessExample) =>
  decidingHost?.name ?? destination.host?.name ?? destination.address;

const certificateStep = ({ source, certificateExpiresAt }: AccessExample): AccessStep => ({
  id: "certificate",
  state: "ok",
  title: (
    <>
      <bdi>{source.name}</bdi> has a valid certificate
    </>
  ),
  detail: (
    <>
      Not blocked.
      {certificateExpiresAt && (
        <>
          {" "}
          Expires <Time at={certificateExpiresAt} />.
        </>
      )}
    </>
  ),
});

/** Without a router, there is no host that could trust the CA. */
function trustSteps({ decidingHost, destination }: AccessExample): AccessStep[] {
  const host = decidingHost ?? destination.host;
  if (!host) return [];
  const title = (
    <>
      <bdi>{host.name}</bdi> trusts its CA
    </>
  );
  return [{ id: "trust", state: "ok", title }];
}

const outboundStep = ({ source }: AccessExample): AccessStep => ({
  id: "outbound",
  state: "ok",
  title: (
    <>
      <bdi>{source.name}</bdi> allows all outbound traffic
    </>
  ),
  detail: "Only inbound rules limit traffic.",
});

function routeSteps({ route, source }: AccessExample): AccessStep[] {
  if (!route) return [];
  const routers = route.routers.map(({ name }) => name);
  return [
    {
      id: "route",
      state: "ok",
      title: (
        <>
          <bdi>{source.name}</bdi> has a route to {route.subnet}
        </>
      ),
      detail: routers.length > 0 && (
        <>
          Through <bdi>{new Intl.ListFormat("en", { type: "disjunction" }).format(routers)}</bdi>.
        </>
      ),
    },
  ];
}

function ruleStep(example: AccessExample): AccessStep {
  const { rules } = example;
  const isOne = rules.length === 1;
  return {
    id: "rule",
    state: "ok",
    title: (
      <>
        {isOne ? "An inbound rule" : `${formatNumber(rules.length)} inbound rules`} on{" "}
        <bdi>{deciderOf(example)}</bdi> {isOne ? "matches" : "match"}
      </>
    ),
    detail: rules.length > 1 && "Each of these rules allows the connection, so removing one changes nothing.",
    rules,
  };
}

function syncStep({ isInSync, destination }: AccessExample, revision: number): AccessStep {
  const both = destination.host ? "Both hosts" : "The host and the router";
  if (isInSync)
    return {
      id: "sync",
      state: "ok",
      title: `${both} run these rules`,
      detail: `In sync with revision ${formatNumber(revision)}.`,
    };
  return isInSync === false
    ? {
        id: "sync",
        state: "pending",
        title: "These rules aren’t in effect yet",
        detail: "At least one of the hosts still has an older configuration.",
      }
    : {
        id: "sync",
        state: "pending",
        title: "Unknown whether the hosts run these rules",
        detail: "At least one of the hosts hasn’t reported its configuration.",
      };
}

const failedStep = (kind: Kind, example: AccessExample): AccessStep => ({
  id: kind,
  state: "failed",
  ...failedCheckText(kind, example),
});

function passedSteps(kind: Kind, example: AccessExample): AccessStep[] {
  if (earlyChecks.has(kind)) return [];
  if (kind === "untrustedCa") return [certificateStep(example)];
  const steps = [certificateStep(example), ...trustSteps(example), outboundStep(example)];
  return kind === "noRule" ? [...steps, ...routeSteps(example)] : steps;
}

/** The checks of a connection in order, which end at the first that fails. */
export function stepsOf(example: AccessExample, revision: number): AccessStep[] {
  const kind = example.failedCheck?.kind;
  if (kind) return [...passedSteps(kind, example), failedStep(kind, example)];
  return [
    certificateStep(example),
    ...trustSteps(example),
    outboundStep(example),
    ...routeSteps(example),
    ruleStep(example),
    syncStep(example, revision),
  ];
}
