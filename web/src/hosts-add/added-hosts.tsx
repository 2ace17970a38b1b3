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
import type { BatchItem, AddedHost } from "./batch.ts";
import styles from "./hosts-add.module.css";

interface NamedHost extends AddedHost {
  name: string;
}

const addedHostsOf = (items: readonly BatchItem[]): NamedHost[] =>
  items.flatMap(({ row, outcome }) => (outcome.state === "added" ? [{ ...outcome, name: row.name }] : []));

/** Only names are escaped for spreadsheets: a code must stay unchanged. */
const toFile = (hosts: readonly NamedHost[]) =>
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
  /** False while more hosts are being added. */
  isComplete: boolean;
  onSaved: () => void;
}

/** The added hosts with their codes, until the user confirms that they are saved. */
export function AddedHosts({ items, isComplete, onSaved }: AddedHostsProps) {
  const hosts = addedHostsOf(items);
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
      <div className={styles.warning}>
        <Notice tone="warn">
          Save these codes now. They won’t be shown again, and anyone with a code can enroll as that host.
        </Notice>
      </div>
      <ul className={styles.added}>
        {hosts.map((host) => (
          <AddedHostRow key={host.hostID} host={host} />
        ))}
      </ul>
    </Card>
  );
}

function AddedHostRow({ host }: { host: NamedHost }) {
  const { hostID, name, addresses, code, expiresAt } = host;
  return (
    <li className={styles.host}>
      <span className={styles.identity}>
        <HostLink host={{ id: hostID, name, isLighthouse: false, isRelay: false }} />
        <code className={styles.address}>{addresses.join(", ")}</code>
      </span>
      <span className={styles.command} title={`Expires ${formatInstant(expiresAt)}`}>
        <Code>{installCommand(code)}</Code>
        <CopyButton what={`command for ${name}`} value={installCommand(code)} />
      </span>
    </li>
  );
}
