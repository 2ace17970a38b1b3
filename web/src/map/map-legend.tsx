import { useState, type ReactNode } from "react";
import { statusLabels } from "../references/host-filters.ts";
import { useIsPhone } from "../ui/base/phone.ts";
import { Button } from "../ui/controls/button.tsx";
import styles from "./map-explorer.module.css";
import type { Mark } from "./map-model.ts";
import { tokenColors } from "./map-colors.ts";
import { markShape } from "./painter.ts";

const order = ["online", "offline", "neverEnrolled", "blocked", "drifted"] as const satisfies Mark[];

function MarkSign({ mark }: { mark: Mark }) {
  const { d, look } = markShape(mark, tokenColors);
  return (
    <svg width={12} height={12} viewBox="-6 -6 12 12" aria-hidden="true">
      <path
        d={d}
        fill={look.fill ?? "none"}
        stroke={look.stroke?.color}
        strokeWidth={look.stroke?.width}
        strokeDasharray={look.stroke?.dash?.join(" ")}
        strokeLinecap="round"
      />
    </svg>
  );
}

type LineKind = "direct" | "relayed" | "route";

/** Direct is solid, relayed dashed, a route double. */
export function LineSign({ kind, width = 26 }: { kind: LineKind; width?: number }) {
  const d = `M1 5h${width - 2}`;
  return (
    <svg width={width} height={10} aria-hidden="true" className={styles.lineSign}>
      {kind === "route" ? (
        <>
          <path d={d} stroke="var(--text-faint)" strokeWidth={3.6} />
          <path d={d} stroke="var(--surface-1)" strokeWidth={1.4} />
        </>
      ) : (
        <path
          d={d}
          stroke="var(--accent-text)"
          strokeWidth={1.6}
          strokeDasharray={kind === "relayed" ? "4.5 4" : undefined}
        />
      )}
    </svg>
  );
}

const entries: readonly { label: string; sign: ReactNode }[] = [
  ...order.map((mark) => ({ label: statusLabels[mark], sign: <MarkSign mark={mark} /> })),
  { label: "Direct", sign: <LineSign kind="direct" /> },
  { label: "Relayed", sign: <LineSign kind="relayed" /> },
  { label: "Route", sign: <LineSign kind="route" /> },
];

/** On phones, behind a button. */
export function MapLegend() {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles.legendBar}>
      {isPhone && (
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Legend
        </Button>
      )}
      {(!isPhone || isOpen) && (
        <ul aria-label="Legend" className={styles.legend}>
          {entries.map(({ label, sign }) => (
            <li key={label}>
              {sign}
              {label}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
