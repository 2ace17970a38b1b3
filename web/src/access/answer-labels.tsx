import type { AccessAnswer } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { trafficLabel } from "../rules/traffic-labels.ts";
import { trafficOf, type Question } from "./access-question.ts";
import type { ShownParty } from "./use-party.ts";

export interface Verdict {
  tone: "ok" | "bad" | "some" | "none";
  title: string;
  sentence: ReactNode;
  /** The question is about more than two hosts. */
  isGroup: boolean;
  /** The hosts don't run the rules that the answer is about. */
  isPending: boolean;
}

interface Answered {
  question: Question;
  source: ShownParty;
  destination: ShownParty;
  answer: AccessAnswer;
}

/** "ping" or "open TCP 5432 (PostgreSQL) on" */
const actionOf = (question: Question): string =>
  question.protocol === "ICMP" ? "ping" : `open ${trafficLabel([trafficOf(question)])} on`;

function Party({ party, one }: { party: ShownParty; one: string }) {
  const name = (
    <b>
      <bdi>{party.name}</bdi>
    </b>
  );
  return party.kind === "role" ? (
    <>
      {one} with role {name}
    </>
  ) : (
    name
  );
}

function pairVerdict({ question, source, destination, answer }: Answered) {
  const isAllowed = answer.answer === "all";
  return {
    tone: isAllowed ? ("ok" as const) : ("bad" as const),
    title: isAllowed ? "Allowed" : "Denied",
    sentence: (
      <>
        <Party party={source} one="every host" /> {isAllowed ? "can" : "can’t"} {actionOf(question)}{" "}
        <Party party={destination} one="every host" />.
      </>
    ),
  };
}

function groupVerdict({ question, source, destination, answer }: Answered) {
  const { allowedPairCount, pairCount } = answer;
  const pairs = formatCount(pairCount, "pair");
  if (answer.answer === "some")
    return {
      tone: "some" as const,
      title: "Some",
      sentence: (
        <>
          {formatNumber(allowedPairCount)} of {pairs} of hosts can {actionOf(question).replace(/ on$/, "")}.
        </>
      ),
    };
  const isAll = answer.answer === "all";
  return {
    tone: isAll ? ("ok" as const) : ("bad" as const),
    title: isAll ? "All" : "None",
    sentence: (
      <>
        <Party party={source} one={isAll ? "Every host" : "No host"} /> can {actionOf(question)}{" "}
        <Party party={destination} one={isAll ? "every host" : "any host"} />: {pairs}.
      </>
    ),
  };
}

const noHosts = {
  tone: "none" as const,
  title: "No hosts",
  sentence: "No hosts have this role in the network, so there is nothing to check.",
};

export function verdictOf(answered: Answered): Verdict {
  const { answer, source, destination } = answered;
  const isGroup = source.kind === "role" || destination.kind === "role";
  const isPending = answer.example?.isInSync === false;
  if (answer.pairCount === 0 && answer.example === null) return { ...noHosts, isGroup, isPending };
  return { ...(isGroup ? groupVerdict(answered) : pairVerdict(answered)), isGroup, isPending };
}
