import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { useNetworkFilter } from "../references/network-filter.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { formatParty, readQuestion, type AccessParty, type Question } from "./access-question.ts";
import { useParty } from "./use-party.ts";

const toParameters = (question: Question): [string, string | undefined][] => [
  ["source", formatParty(question.source)],
  ["destination", formatParty(question.destination)],
  ["protocol", question.protocol],
  // An empty port is kept, because a missing one stands for the default.
  ["port", question.port],
  ["network", question.network],
];

/** The question in the URL, and how to change it. */
export function useQuestion() {
  const [parameters, setParameters] = useSearchParams();
  const question = readQuestion(parameters);
  function change(changes: Partial<Question>) {
    const next = new URLSearchParams();
    for (const [name, value] of toParameters({ ...question, ...changes }))
      if (value || (name === "port" && value !== undefined)) next.set(name, value);
    setParameters(next, { replace: true, preventScrollReset: true });
  }
  return { question, change };
}

const isRole = (party: AccessParty | undefined) => party?.kind === "role";

/** Both sides with their names, and the network in which roles stand for hosts. */
export function useParties(question: Question) {
  const source = useParty(question.source);
  const destination = useParty(question.destination);
  const remembered = useNetworkFilter();
  const needsNetwork = isRole(question.source) || isRole(question.destination);
  const { data: networks } = useQuery({ ...allNetworksQuery, enabled: needsNetwork });
  const ofHost = source.networkID ?? destination.networkID;
  const isHostLoading = [question.source, question.destination].some((party) => party?.kind === "host");
  const chosen = networks?.find(({ id }) => id === (question.network ?? remembered)) ?? networks?.[0];
  const networkID = ofHost ?? (isHostLoading ? undefined : chosen?.id);
  const choices = needsNetwork && !isHostLoading && (networks?.length ?? 0) > 1 ? networks : undefined;
  return { source, destination, networkID, choices };
}
