import type { AccessAnswer, AccessExample } from "@lightkeeper/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { accessPath } from "../references/access-paths.ts";
import { RuleLink } from "../rules/rule-link.tsx";
import { CheckIcon, CloseIcon, WarningIcon } from "../ui/base/icons.tsx";
import { classNames } from "../ui/base/class-names.ts";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { ArrowRightIcon } from "./access-icons.tsx";
import { trafficOf, type Question } from "./access-question.ts";
import { stepsOf, type AccessStep } from "./answer-checks.tsx";
import { verdictOf, type Verdict } from "./answer-labels.tsx";
import styles from "./answer-card.module.css";
import { SmallestRule } from "./smallest-rule.tsx";
import type { ShownParty } from "./use-party.ts";

interface AnswerCardProps {
  question: Question;
  source: ShownParty;
  destination: ShownParty;
  answer: AccessAnswer;
  /** The answer is to the previous question. */
  isOutdated: boolean;
}

const verdictIcons = { ok: CheckIcon, bad: CloseIcon, some: WarningIcon, none: WarningIcon };

export function AnswerCard({ question, source, destination, answer, isOutdated }: AnswerCardProps) {
  const verdict = verdictOf({ question, source, destination, answer });
  const { example } = answer;
  return (
    <section
      aria-label={`${source.name} to ${destination.name}: ${verdict.title}${verdict.isPending ? ", not yet" : ""}`}
      aria-busy={isOutdated}
      className={classNames(styles.card, isOutdated && styles.outdated)}
    >
      <Heading verdict={verdict} source={source} destination={destination} />
      {example && (
        <>
          {verdict.isGroup && <ExamplePair question={question} example={example} answer={answer.answer} />}
          <ol className={styles.chain}>
            {stepsOf(example, answer.revision).map((step) => (
              <Step key={step.id} step={step} />
            ))}
          </ol>
          {example.smallestRule && <SmallestRule proposal={example.smallestRule} />}
        </>
      )}
    </section>
  );
}

interface HeadingProps {
  verdict: Verdict;
  source: ShownParty;
  destination: ShownParty;
}

function Heading({ verdict, source, destination }: HeadingProps) {
  const Icon = verdictIcons[verdict.tone];
  return (
    <header className={classNames(styles.answer, styles[verdict.tone])}>
      <p className={styles.direction}>
        <Direction from={source.name} to={destination.name} />
      </p>
      <h2 className={styles.verdict}>
        <Icon width={18} height={18} strokeWidth={2.4} />
        <VisuallyHidden>
          {source.name} to {destination.name}:{" "}
        </VisuallyHidden>
        {verdict.title}
        {verdict.isPending && <span className={styles.notYet}>Not yet</span>}
      </h2>
      <p className={styles.sentence}>{verdict.sentence}</p>
    </header>
  );
}

function Direction({ from, to }: { from: string; to: string }) {
  return (
    <>
      <bdi>{from}</bdi>
      <ArrowRightIcon width={13} height={13} />
      <VisuallyHidden> to </VisuallyHidden>
      <bdi>{to}</bdi>
    </>
  );
}

interface ExamplePairProps {
  question: Question;
  example: AccessExample;
  answer: AccessAnswer["answer"];
}

/** A link to the check of the two hosts that stand for all. */
function ExamplePair({ question, example, answer }: ExamplePairProps) {
  const { source, destination } = example;
  const { portRange } = trafficOf(question);
  const to = accessPath({
    source: source.id,
    destination: destination.host?.id ?? destination.address,
    protocol: question.protocol,
    port: portRange ? String(portRange.from) : undefined,
  });
  return (
    <p className={styles.example}>
      {answer === "some" ? "First exception" : "Example"}:{" "}
      <Link to={to} className={styles.pair}>
        <Direction from={source.name} to={destination.host?.name ?? destination.address} />
      </Link>
    </p>
  );
}

const stepIcons: Record<AccessStep["state"], ReactNode> = {
  ok: <CheckIcon width={12} height={12} strokeWidth={2.2} />,
  failed: <CloseIcon width={12} height={12} strokeWidth={2.2} />,
  pending: <WarningIcon width={12} height={12} strokeWidth={2} />,
};
const stepLabels = { ok: "Passed", failed: "Failed", pending: "Not yet" };

function Step({ step: { state, title, detail, rules } }: { step: AccessStep }) {
  return (
    <li className={classNames(styles.step, styles[state])}>
      <span className={styles.mark}>{stepIcons[state]}</span>
      <div className={styles.stepText}>
        <h3 className={styles.stepTitle}>
          <VisuallyHidden>{stepLabels[state]}: </VisuallyHidden>
          {title}
        </h3>
        {detail && <p className={styles.detail}>{detail}</p>}
        {rules?.map((rule) => (
          <div key={`${rule.source.type} ${rule.source.id} ${rule.index}`} className={styles.quote}>
            <RuleLink rule={rule} />
          </div>
        ))}
      </div>
    </li>
  );
}
