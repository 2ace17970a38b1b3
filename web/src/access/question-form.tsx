import type { NetworkV2 } from "@lightkeeper/contract";
import { useTyped } from "../lib/list-state.ts";
import { portServiceLabel } from "../rules/traffic-labels.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { SwapIcon } from "./access-icons.tsx";
import { canSwap, checkedProtocols, portProblem, trafficOf, type Question } from "./access-question.ts";
import { HostOrRolePicker } from "./host-or-role-picker.tsx";
import styles from "./question-form.module.css";
import type { ShownParty } from "./use-party.ts";

interface QuestionFormProps {
  question: Question;
  source: ShownParty;
  destination: ShownParty;
  /** The networks to choose from, if the sides leave a choice. */
  networks: readonly NetworkV2[] | undefined;
  networkID: string | undefined;
  onChange: (changes: Partial<Question>) => void;
  onSwap: () => void;
}

export function QuestionForm(props: QuestionFormProps) {
  const { question, source, destination, networks, networkID, onChange, onSwap } = props;
  return (
    <div role="group" aria-label="Question" className={styles.form}>
      <HostOrRolePicker
        label="Source"
        value={question.source}
        shown={source}
        onChange={(party) => onChange({ source: party })}
        autoFocus={question.source === undefined}
      />
      <IconButton
        label="Swap source and destination"
        tooltip="Swap (S)"
        icon={<SwapIcon />}
        disabled={!canSwap(question)}
        className={styles.swap}
        onClick={onSwap}
      />
      <HostOrRolePicker
        label="Destination"
        value={question.destination}
        shown={destination}
        onChange={(party) => onChange({ destination: party })}
        acceptsAddress
      />
      <TrafficFields question={question} onChange={onChange} />
      {networks && (
        <Field label="Network" hint="Roles stand for their hosts in this network.">
          <Select
            value={networkID}
            onChange={({ currentTarget }) => onChange({ network: currentTarget.value })}
          >
            {networks.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </div>
  );
}

/** The well-known service of the question's port. */
function serviceOf(question: Question): string | undefined {
  const { protocol, portRange } = trafficOf(question);
  if (protocol === "ICMP") return "Ping";
  return portRange && protocol !== "OTHER" ? portServiceLabel(protocol, portRange.from) : undefined;
}

function TrafficFields({ question, onChange }: Pick<QuestionFormProps, "question" | "onChange">) {
  const isICMP = question.protocol === "ICMP";
  const [port, setPort] = useTyped(question.port);
  function changePort(text: string) {
    setPort(text);
    onChange({ port: text });
  }
  return (
    <>
      <Field label="Protocol">
        <Select
          value={question.protocol}
          onChange={({ currentTarget }) =>
            onChange({ protocol: checkedProtocols.find((one) => one === currentTarget.value) ?? "TCP" })
          }
        >
          {checkedProtocols.map((protocol) => (
            <option key={protocol}>{protocol}</option>
          ))}
        </Select>
      </Field>
      <Field label="Port" hint={serviceOf(question) ?? "\u00A0"} error={portProblem(question)}>
        <TextInput
          value={isICMP ? "" : port}
          disabled={isICMP}
          placeholder={isICMP ? "No port" : "443"}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={({ currentTarget }) => changePort(currentTarget.value)}
        />
      </Field>
    </>
  );
}
