import { runHostCommand, type HostCommand, type HostV2 } from "@lightkeeper/contract";
import { useState } from "react";
import { formatClock } from "../lib/format.ts";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Field, Select } from "../ui/forms/field.tsx";
import { Form } from "../ui/forms/form.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { DebugResult } from "./debug-result.tsx";
import { debugErrorMessages } from "./debug-error-messages.ts";
import { HostAddressPicker } from "./host-address-picker.tsx";
import styles from "./host-debug.module.css";

type DebugCommand = Exclude<HostCommand, { command: "StreamLogs" }>;
type CommandName = DebugCommand["command"];

const commands: Readonly<Record<CommandName, { label: string; hint: string; hasTarget: boolean }>> = {
  PrintTunnel: {
    label: "Show tunnel (PrintTunnel)",
    hint: "Shows the path and the relays this host uses to reach another host.",
    hasTarget: true,
  },
  PrintCert: {
    label: "Show certificate (PrintCert)",
    hint: "Shows the certificate of the other host in a tunnel, or this host’s own.",
    hasTarget: true,
  },
  QueryLighthouse: {
    label: "Query lighthouse (QueryLighthouse)",
    hint: "Shows the addresses the lighthouses have for a host. Run it twice to get fresh data.",
    hasTarget: true,
  },
  CreateTunnel: {
    label: "Create tunnel (CreateTunnel)",
    hint: "Opens a tunnel to another host now, without waiting for the first packet.",
    hasTarget: true,
  },
  DebugStack: {
    label: "Dump stack (DebugStack)",
    hint: "Shows what Nebula is doing right now, for a bug report.",
    hasTarget: false,
  },
};
const names = Object.keys(commands) as CommandName[];

function commandOf(command: CommandName, target: string): DebugCommand {
  if (command === "DebugStack") return { command };
  return { command, args: { target } };
}

export function DebugCommands({ host }: { host: HostV2 }) {
  const [command, setCommand] = useState<CommandName>("PrintTunnel");
  const [target, setTarget] = useState("");
  const { mutate, data, error, isPending, variables, submittedAt } = useWrite(runHostCommand, {
    rules: debugErrorMessages,
  });
  const [isTargetMissing, setTargetMissing] = useState(false);
  const { hasTarget } = commands[command];

  function run() {
    const isMissing = hasTarget && target === "";
    setTargetMissing(isMissing);
    if (!isMissing) mutate({ params: { hostID: host.id }, body: commandOf(command, target) });
  }

  return (
    <Card title="Run a command">
      <Form className={styles.form} pending={isPending} onSubmit={run}>
        <CommandField command={command} onChange={setCommand} />
        {hasTarget && (
          <HostAddressPicker
            label="Host"
            hint="Name or overlay address of the other host."
            error={isTargetMissing ? "Choose a host or enter an overlay address." : undefined}
            from={host}
            value={target}
            onChange={setTarget}
          />
        )}
        <div>
          <Button type="submit" variant="primary" pending={isPending}>
            Run
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

interface CommandFieldProps {
  command: CommandName;
  onChange: (command: CommandName) => void;
}

function CommandField({ command, onChange }: CommandFieldProps) {
  return (
    <Field label="Command" hint={commands[command].hint}>
      <Select value={command} onChange={(event) => onChange(event.currentTarget.value as CommandName)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {commands[name].label}
          </option>
        ))}
      </Select>
    </Field>
  );
}
