import type { Guarantee, GuaranteeDestination } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { hostQuery } from "../references/hosts.queries.ts";
import { useRoleName } from "../references/roles.queries.ts";
import { Code } from "../ui/text/code.tsx";
import { capitalize, selectorText, sentenceText, verbs, type SelectorText } from "./guarantee-text.ts";

export type Sentence = Pick<Guarantee, "type" | "source" | "destination">;

function useSelectorText(type: Guarantee["type"], selector: GuaranteeDestination): SelectorText {
  const roleName = useRoleName(selector.type === "role" ? selector.id : null);
  const { data: host } = useQuery({
    ...hostQuery(selector.type === "host" ? selector.id : ""),
    enabled: selector.type === "host",
  });
  return selectorText(type, selector, roleName ?? host?.name);
}

/** "Role CI runner must never reach role Database", for labels. */
export function useSentenceText({ type, source, destination }: Sentence): string {
  return sentenceText(type, useSelectorText(type, source), useSelectorText(type, destination));
}

/** The same sentence with emphasis. */
export function GuaranteeSentence({ type, source, destination }: Sentence) {
  const from = useSelectorText(type, source);
  const to = useSelectorText(type, destination);
  return (
    <>
      <Selector noun={capitalize(from.noun)} name={from.noun ? from.name : capitalize(from.name)} /> must{" "}
      <b>{verbs[type]}</b> reach <Selector {...to} />
    </>
  );
}

function Selector({ noun, name }: SelectorText) {
  return (
    <>
      {noun && `${noun} `}
      <b>{noun.toLowerCase() === "subnet" ? <Code>{name}</Code> : <bdi>{name}</bdi>}</b>
    </>
  );
}
