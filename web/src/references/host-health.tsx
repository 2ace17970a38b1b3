import type { HostHealth as Health } from "@lightkeeper/contract";
import { Link } from "react-router";
import { formatNumber } from "../lib/format.ts";
import { classNames } from "../ui/base/class-names.ts";
import { Status, type StatusProps } from "../ui/feedback/status.tsx";
import { secondaryFilters, statusLabels } from "./host-filters.ts";
import styles from "./host-health.module.css";

type CountName = keyof Health;

/** The first group is exclusive and adds up to all hosts; the second one overlaps with it. */
const groups: readonly (readonly (readonly [CountName, StatusProps["tone"]])[])[] = [
  [
    ["online", "ok"],
    ["offline", "off"],
    ["neverEnrolled", "new"],
    ["blocked", "bad"],
  ],
  [
    ["drifted", "drift"],
    ["expiring", "warn"],
    ["updateAvailable", "update"],
  ],
];

const UPDATE = "metadata.updateAvailable";
const labels = { ...statusLabels, updateAvailable: secondaryFilters[UPDATE].names.true };

/** The filters that the counts follow, and how the list is shown. */
const kept = /^(filter\.(networkID|kind)|sort|pageSize)$/;

/** The list that a count is about; the whole list again, if that is the current one. */
function listOf(current: URLSearchParams, name: CountName) {
  const [key, value] = name === "updateAvailable" ? [`filter.${UPDATE}`, "true"] : ["filter.status", name];
  const isCurrent = current.get(key) === value;
  const entries = [...current].filter(([each]) =>
    isCurrent ? each !== key && each !== "cursor" : kept.test(each),
  );
  return { isCurrent, to: `/hosts?${new URLSearchParams(isCurrent ? entries : [...entries, [key, value]])}` };
}

interface HostHealthProps {
  /** Undefined until it is known. */
  health: Health | undefined;
  /** The parameters of the list that is shown, with the filters that the counts follow. */
  list: URLSearchParams;
}

/** How many hosts are in which state, each with a link to these hosts. */
export function HostHealth({ health, list }: HostHealthProps) {
  return (
    <nav aria-label="Host health" className={styles.health}>
      {groups.map((group) => (
        <ul key={group[0]?.[0]} className={styles.group}>
          {group.map(([name, tone]) => {
            const { isCurrent, to } = listOf(list, name);
            return (
              <li key={name}>
                <Link to={to} aria-current={isCurrent || undefined} className={styles.link}>
                  <Status tone={tone}>{labels[name]}</Status>{" "}
                  <b className={classNames(!health?.[name] && styles.zero)}>
                    {health ? formatNumber(health[name]) : "–"}
                  </b>
                </Link>
              </li>
            );
          })}
        </ul>
      ))}
    </nav>
  );
}
