import { ValidationError, type AccessAnswer } from "@lightkeeper/contract";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { formatNumber } from "../lib/format.ts";
import { failureOf } from "../lib/list-page.ts";
import { referenceGone } from "../lib/messages.ts";
import { areSame } from "../lib/same-values.ts";
import { useShortcut } from "../lib/shortcuts.ts";
import { usePageTitle } from "../lib/title.ts";
import { AccessTabs } from "../on-demand/access-tabs.tsx";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { Card } from "../ui/pages/card.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { Time } from "../ui/text/time.tsx";
import { AccessHeader } from "./access-header.tsx";
import { checkQuery, type AccessCheck } from "./access.queries.ts";
import { canSwap, formatParty, portProblem, reverseOf, toCheck, type Question } from "./access-question.ts";
import { AnswerCard } from "./answer-card.tsx";
import { verdictOf } from "./answer-labels.tsx";
import { AnswerSkeleton } from "./answer-skeleton.tsx";
import styles from "./access-page.module.css";
import { QuestionForm } from "./question-form.tsx";
import { nameParty, type ShownParty } from "./use-party.ts";
import { useParties, useQuestion } from "./use-question.ts";

export function AccessPage() {
  const { question, change } = useQuestion();
  const { source, destination, networkID, choices } = useParties(question);
  const isNamed = source.name !== "" && destination.name !== "";
  usePageTitle(isNamed ? `Can ${source.name} reach ${destination.name}?` : "Access");
  function swap() {
    if (canSwap(question)) change({ source: question.destination, destination: question.source });
  }
  useShortcut("s", "Swap source and destination", swap);
  return (
    <PageContent kind="detail">
      <AccessTabs />
      <AccessHeader
        view="check"
        title="Can A reach B?"
        lead="Computed from the rules of your hosts, in both directions. Replies are always allowed."
      />
      <QuestionForm
        question={question}
        source={source}
        destination={destination}
        networks={choices}
        networkID={networkID}
        onChange={change}
        onSwap={swap}
      />
      {question.source && question.destination ? (
        <Answers question={question} source={source} destination={destination} networkID={networkID} />
      ) : (
        <IncompleteQuestion
          title={question.source ? "Choose a destination" : "Choose a source and a destination"}
        >
          Pick two hosts or roles to see whether a connection is allowed, and which rule decides. The
          destination can also be an address behind a route.
        </IncompleteQuestion>
      )}
    </PageContent>
  );
}

function IncompleteQuestion({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <EmptyState title={title}>{children}</EmptyState>
    </Card>
  );
}

interface AnswersProps {
  question: Question;
  source: ShownParty;
  destination: ShownParty;
  networkID: string | undefined;
}

/** Disabled queries need a body too. */
const noCheck: AccessCheck = { source: { hostID: "" }, destination: { hostID: "" }, protocol: "ICMP" };

function useAnswer(check: AccessCheck | undefined): UseQueryResult<AccessAnswer> {
  return useQuery({
    ...checkQuery(check ?? noCheck),
    enabled: check !== undefined,
    placeholderData: keepPreviousData,
  });
}

function Answers({ question, source, destination, networkID }: AnswersProps) {
  const hasReverse = canSwap(question) && formatParty(question.source) !== formatParty(question.destination);
  const reverse = reverseOf(question);
  const check = toCheck(question, networkID);
  const forward = useAnswer(check);
  const backward = useAnswer(hasReverse ? toCheck(reverse, networkID) : undefined);
  const { data } = forward;
  if (!data && portProblem(question))
    return (
      <IncompleteQuestion title="Choose a port">
        A connection is checked for one port. Type its number, or a service such as ssh.
      </IncompleteQuestion>
    );
  const title = data && verdictOf({ question, source, destination, answer: data }).title;
  return (
    <>
      <Announcement>
        {title && !forward.isPlaceholderData && `${source.name} to ${destination.name}: ${title}`}
      </Announcement>
      <div className={styles.answers}>
        <Answer query={forward} question={question} source={source} destination={destination} />
        {hasReverse && (
          <Answer query={backward} question={reverse} source={destination} destination={source} />
        )}
      </div>
      {question.destination?.kind === "address" && (
        <p className={styles.note}>Only hosts open connections, so the other direction isn’t checked.</p>
      )}
      {data && (
        <p className={styles.note}>
          <span>Revision {formatNumber(data.revision)}</span>
          <span>
            Checked <Time at={new Date(forward.dataUpdatedAt).toISOString()} past />
          </span>
          <span>The link opens this check again with current rules.</span>
        </p>
      )}
    </>
  );
}

/** The server can't say which of the two is missing. */
function messageFor(error: Error) {
  const failure = failureOf(error);
  const isGone =
    error instanceof ValidationError &&
    error.fieldErrors.some(({ code }) => referenceGone.codes.includes(code));
  return isGone ? { ...failure, message: "The source or the destination no longer exists." } : failure;
}

/** The value when `isCurrent` was last true: an earlier answer is shown with its own question. */
function useLast<T>(value: T, isCurrent: boolean): T {
  const [last, setLast] = useState(value);
  if (isCurrent && !areSame(last, value)) setLast(value);
  return isCurrent ? value : last;
}

interface AnswerProps extends Omit<AnswersProps, "networkID"> {
  query: UseQueryResult<AccessAnswer>;
}

function Answer({ query, ...props }: AnswerProps) {
  const { data, error, isFetching, isPlaceholderData, refetch } = query;
  const answered = useLast(props, !isPlaceholderData);
  if (error && (!data || isPlaceholderData))
    return (
      <Card>
        <ErrorState
          title="Couldn’t check access"
          {...messageFor(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      </Card>
    );
  const source = nameParty(answered.source, data?.example?.source);
  const destination = nameParty(answered.destination, data?.example?.destination.host);
  if (!data || !source.name || !destination.name)
    return <AnswerSkeleton source={source.name} destination={destination.name} />;
  return (
    <AnswerCard
      question={answered.question}
      source={source}
      destination={destination}
      answer={data}
      isOutdated={isPlaceholderData}
    />
  );
}
