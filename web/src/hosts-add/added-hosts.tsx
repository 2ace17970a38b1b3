import { HostLink } from "../references/host-link.tsx";
import { escapeFormula, toCsv } from "../lib/csv.ts";
import { downloadText } from "../lib/download.ts";
import { installCommand } from "../enrollment/agent-commands.ts";
import { formatCount, formatInstant } from "../lib/format.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { Code } from "../ui/text/code.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import type { BatchItem, MadeHost } from "./batch.ts";
import styles from "./hosts-add.module.css";

interface Added extends MadeHost {
  name: string;
}

const addedOf = (items: readonly BatchItem[]): Added[] =>
  items.flatMap(({ row, outcome }) => (outcome.state === "made" ? [{ ...outcome, name: row.name }] : []));

/** Names are people's; a code has to stay what it is, to the letter. */
const toFile = (hosts: readonly Added[]) =>
  toCsv([
    ["name", "address", "code", "valid until", "command"],
    ...hosts.map(({ name, addresses, code, expiresAt }) => [
      escapeFormula(name),
      addresses.join(" "),
      code,
      new Date(expiresAt).toISOString(),
      installCommand(code),
    ]),
  ]);

interface AddedHostsProps {
  items: readonly BatchItem[];
  /** More may follow until then. */
  isComplete: boolean;
  onSaved: () => void;
}

/** The hosts that are there, with their codes: once, until they are said to be saved. */
export function AddedHosts({ items, isComplete, onSaved }: AddedHostsProps) {
  const hosts = addedOf(items);
  return (
    <Card
      title={`${formatCount(hosts.length, "host")} added`}
      padded={false}
      actions={
        isComplete && (
          <>
            <Button
              size="small"
              icon={<DownloadIcon />}
              onClick={() => downloadText("enrollment-codes.csv", toFile(hosts), "text/csv")}
            >
              Download CSV
            </Button>
            <Button size="small" variant="primary" onClick={onSaved}>
              I’ve saved it
            </Button>
          </>
        )
      }
    >
      <div className={styles.keep}>
        <Notice tone="warn">
          The codes are shown here only. Save them before you go on: whoever has one can join as its host.
        </Notice>
      </div>
      <ul className={styles.added}>
        {hosts.map((host) => (
          <AddedHost key={host.hostID} host={host} />
        ))}
      </ul>
    </Card>
  );
}

function AddedHost({ host }: { host: Added }) {
  const { hostID, name, addresses, code, expiresAt } = host;
  return (
    <li className={styles.host}>
      <span className={styles.who}>
        <HostLink host={{ id: hostID, name, isLighthouse: false, isRelay: false }} />
        <code className={styles.address}>{addresses.join(", ")}</code>
      </span>
      <span className={styles.command} title={`Works until ${formatInstant(expiresAt)}`}>
        <Code>{installCommand(code)}</Code>
        <CopyButton what={`command for ${name}`} value={installCommand(code)} />
      </span>
    </li>
  );
}
