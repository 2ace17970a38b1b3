import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { formatCount, formatNumber } from "../lib/format.ts";
import { RuleLink } from "../rules/rule-link.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { rulesQuery, type AccessCheck, type FoundRules } from "./access.queries.ts";
import {
  examplePairs,
  examplePath,
  lineName,
  questionAbout,
  type MatrixCell,
  type MatrixLine,
  type MatrixModel,
} from "./matrix-model.ts";
import styles from "./matrix-panel.module.css";

interface MatrixPanelProps {
  model: MatrixModel;
  /** The cell to explain. */
  cell: MatrixCell | undefined;
  isPinned: boolean;
}

/** Explains a cell. The rules are loaded only for the pinned one. */
export function MatrixPanel({ model, cell, isPinned }: MatrixPanelProps) {
  const mustLoad = isPinned && cell !== undefined && cell.traffic.length > 0;
  const found = useQuery({ ...rulesQuery(cell ? checksOf(model, cell) : []), enabled: mustLoad });
  const source = cell && model.rows[cell.row];
  const destination = cell && model.columns[cell.column];
  return (
    <aside aria-label="Selected access" className={styles.panel}>
      {cell && source && destination ? (
        <>
          <header className={styles.header}>
            <Side label="Source" line={source} />
            <Side label="Destination" line={destination} />
          </header>
          <Traffic cell={cell} />
          {mustLoad && <Rules found={found} />}
          <Footer
            source={source}
            destination={destination}
            path={isPinned ? examplePath(model, cell, found.data?.pairIndex) : undefined}
          />
        </>
      ) : (
        <p className={styles.hint}>
          Point at a cell to see what is allowed. Click it to see the rules. Arrow keys move between cells.
        </p>
      )}
    </aside>
  );
}

function Side({ label, line }: { label: string; line: MatrixLine }) {
  return (
    <div className={styles.side}>
      <small>
        {label} · {line.hostCount === undefined ? "subnet" : formatCount(line.hostCount, "host")}
      </small>
      <b>
        <bdi>{lineName(line)}</bdi>
      </b>
    </div>
  );
}

function Traffic({ cell: { traffic, label, isPartial } }: { cell: MatrixCell }) {
  if (traffic.length === 0)
    return <p className={styles.text}>Denied. No rule on the destination matches this source.</p>;
  return (
    <p className={styles.text}>
      Allows <b>{label}</b>
      {isPartial ? " for some of these hosts" : ""}. Everything else is denied.
    </p>
  );
}

const CHECKS_MAX = 6;

/** Pairs of hosts are checked for each kind of traffic. */
function checksOf(model: MatrixModel, cell: MatrixCell): AccessCheck[][] {
  const kinds = cell.traffic
    .filter(({ protocol, fragmentsOnly }) => protocol !== "OTHER" && !fragmentsOnly)
    .slice(0, CHECKS_MAX);
  return examplePairs(model, cell).map(({ sourceID, destination }) =>
    kinds.map((traffic) => ({
      source: { hostID: sourceID },
      destination: destination.startsWith("host-") ? { hostID: destination } : { address: destination },
      ...questionAbout(traffic),
    })),
  );
}

function Rules({ found: { data, error } }: { found: UseQueryResult<FoundRules> }) {
  if (error && !data) return <p className={styles.text}>The rules couldn’t be loaded.</p>;
  if (!data) return <SkeletonRows rows={2} />;
  if (data.rules.length === 0)
    return (
      <p className={styles.text}>
        The first hosts of these groups can’t connect. Check two hosts to see why.
      </p>
    );
  return (
    <ul aria-label="Rules" className={styles.rules}>
      {data.rules.map((rule) => (
        <li key={`${rule.source.type} ${rule.source.id} ${rule.index}`}>
          <RuleLink rule={rule} />
        </li>
      ))}
    </ul>
  );
}

interface FooterProps {
  source: MatrixLine;
  destination: MatrixLine;
  /** The check of two hosts, for a pinned cell. */
  path: string | undefined;
}

function Footer({ source, destination, path }: FooterProps) {
  const pairs = (source.hostCount ?? 0) * (destination.hostCount ?? 0);
  return (
    <footer className={styles.footer}>
      {destination.hostCount !== undefined && <p>{formatNumber(pairs)} pairs of hosts.</p>}
      {path && (
        <LinkButton to={path} size="small" wide>
          Check two hosts
        </LinkButton>
      )}
    </footer>
  );
}
