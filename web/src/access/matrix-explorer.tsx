import { useState } from "react";
import { useNavigate } from "react-router";
import { areSame } from "../lib/same-values.ts";
import { classNames } from "../ui/base/class-names.ts";
import { MatrixGrid } from "./matrix-grid.tsx";
import { examplePath, type MatrixModel, type MatrixPosition } from "./matrix-model.ts";
import { MatrixPanel } from "./matrix-panel.tsx";
import styles from "./matrix-page.module.css";
import type { MatrixState } from "./use-matrix-state.ts";

interface MatrixExplorerProps {
  model: MatrixModel;
  state: Pick<MatrixState, "pin" | "setPin">;
}

const PIN_SEPARATOR = "~";

function positionOfPin({ rows, columns }: MatrixModel, pin: string | undefined): MatrixPosition | undefined {
  const [source, destination] = pin?.split(PIN_SEPARATOR) ?? [];
  const row = rows.findIndex(({ key }) => key === source);
  const column = columns.findIndex(({ key }) => key === destination);
  return row < 0 || column < 0 ? undefined : { row, column };
}

function pinOf({ rows, columns }: MatrixModel, position: MatrixPosition | undefined): string | undefined {
  return position && [rows[position.row]?.key, columns[position.column]?.key].join(PIN_SEPARATOR);
}

/** The grid with the explanation of one cell beside it: the pinned one, otherwise the one under the pointer. */
export function MatrixExplorer({ model, state: { pin, setPin } }: MatrixExplorerProps) {
  const navigate = useNavigate();
  const [pointed, setPointed] = useState<MatrixPosition>();
  const pinned = positionOfPin(model, pin);
  const shown = pinned ?? pointed;
  function open(position: MatrixPosition) {
    const path = examplePath(model, model.cellAt(position.row, position.column));
    if (path) void navigate(path);
  }
  return (
    <div className={styles.explorer}>
      <div className={styles.main}>
        <MatrixGrid
          model={model}
          pinned={pinned}
          shown={shown}
          onPoint={(next) => setPointed((last) => (areSame(last, next) ? last : next))}
          onPin={(position) => setPin(pinOf(model, position))}
          onOpen={open}
        />
        <Legend isDense={model.isDense} />
      </div>
      <MatrixPanel
        model={model}
        cell={shown && model.cellAt(shown.row, shown.column)}
        isPinned={pinned !== undefined}
      />
    </div>
  );
}

const legend = [
  { label: "Denied" },
  { label: "Ping only", text: "·", look: styles.ping },
  { label: "1 port", look: styles.one },
  { label: "2 or more", look: styles.several },
  { label: "All ports", look: styles.any },
  { label: "Some hosts only", look: styles.partial },
];

function Legend({ isDense }: { isDense: boolean }) {
  return (
    <ul aria-label="Legend" className={classNames(styles.legend, isDense && styles.dense)}>
      {legend.map(({ label, text, look }) => (
        <li key={label}>
          <span aria-hidden="true" className={classNames(styles.swatch, look)}>
            {!isDense && text}
          </span>
          {label}
        </li>
      ))}
    </ul>
  );
}
