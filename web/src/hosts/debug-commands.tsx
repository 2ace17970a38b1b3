import { runHostCommand, type HostCommand, type HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { formatClock } from "../lib/format.ts";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { DebugResult } from "./debug-result.tsx";
import { debugRules } from "./debug-words.ts";
import { hostStateQuery } from "../references/hosts.queries.ts";
import styles from "./host-debug.module.css";

type Asked = Exclude<HostCommand, { command: "StreamLogs" }>;
type CommandName = Asked["command"];

const commands: Readonly<Record<CommandName, { label: string; hint: string; hasTarget: boolean }>> = {
  PrintTunnel: {
    label: "Show a tunnel",
    hint: "How this host reaches another: by which path, since when, through which relays.",
    hasTarget: true,
  },
  PrintCert: {
    label: "Show a certificate",
    hint: "The certificate the other side of a tunnel has shown, or this host’s own.",
    hasTarget: true,
  },
  QueryLighthouse: {
    label: "Ask a lighthouse",
    hint: "Where a lighthouse knows hosts to be. Ask twice for fresh data.",
    hasTarget: true,
  },
  CreateTunnel: {
    label: "Make a tunnel",
    hint: "Has the host open a tunnel to another now, instead of with the first packet.",
    hasTarget: true,
  },
  DebugStack: {
    label: "Dump the stack",
    hint: "What Nebula is doing right now, for a report.",
    hasTarget: false,
  },
};
const names = Object.keys(commands) as CommandName[];

function commandOf(command: CommandName, target: string): Asked {
  if (command === "DebugStack") return { command };
  return { command, args: { target: target.trim() } };
}

export function DebugCommands({ host }: { host: HostV2 }) {
  const [command, setCommand] = useState<CommandName>("PrintTunnel");
  const [target, setTarget] = useState("");
  const { mutate, data, error, isPending, variables, submittedAt } = useWrite(runHostCommand, {
    rules: debugRules,
  });
  const { label, hint, hasTarget } = commands[command];
  const targets = useId();

  return (
    <Card title="Ask the host">
      <Form
        className={styles.form}
        pending={isPending}
        onSubmit={() => mutate({ params: { hostID: host.id }, body: commandOf(command, target) })}
      >
        <Field label="Command" hint={hint}>
          <Select value={command} onChange={(event) => setCommand(event.currentTarget.value as CommandName)}>
            {names.map((name) => (
              <option key={name} value={name}>
                {commands[name].label}
              </option>
            ))}
          </Select>
        </Field>
        {hasTarget && (
          <Field label="Address" hint="In the network, of the host it is about.">
            <TextInput
              mono
              required
              value={target}
              list={targets}
              placeholder="100.100.0.2"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTarget(event.currentTarget.value)}
            />
          </Field>
        )}
        <KnownTargets id={targets} host={host} />
        <div>
          <Button type="submit" variant="primary" pending={isPending}>
            {label}
          </Button>
        </div>
      </Form>
      {error && <Notice tone="danger">{messageOf(error)}</Notice>}
      {!error && data !== undefined && variables && (
        <DebugResult
          title={`${commands[variables.body.command as CommandName].label}, ${formatClock(submittedAt)}`}
          result={data}
        />
      )}
    </Card>
  );
}

/** Those it has a tunnel to are the likely ones. */
function KnownTargets({ id, host }: { id: string; host: HostV2 }) {
  const { data: state } = useQuery(hostStateQuery(host.id));
  return (
    <datalist id={id}>
      {state?.tunnels.map(({ vpnIp, hostName }) => (
        <option key={vpnIp} value={vpnIp}>
          {hostName}
        </option>
      ))}
    </datalist>
  );
}
