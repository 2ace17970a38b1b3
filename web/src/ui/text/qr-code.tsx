import { create } from "qrcode";
import { image } from "../base/image.ts";
import styles from "./qr-code.module.css";

export interface QRCodeProps {
  value: string;
  /** The accessible name. */
  label: string;
  size?: number | undefined;
}

const quietZone = 4;

/** Dark on white in both themes, because cameras expect that. A default export, for `lazy()`. */
export default function QRCode({ value, label, size = 192 }: QRCodeProps) {
  const { modules } = create(value, { errorCorrectionLevel: "M" });
  const side = modules.size + 2 * quietZone;
  return (
    <svg
      {...image(label)}
      width={size}
      height={size}
      viewBox={`${-quietZone} ${-quietZone} ${side} ${side}`}
      shapeRendering="crispEdges"
      className={styles.code}
    >
      <path d={darkRuns(modules)} className={styles.modules} />
    </svg>
  );
}

interface Modules {
  size: number;
  get: (row: number, column: number) => number;
}

/** One rectangle for each horizontal run of dark modules. */
function darkRuns(modules: Modules) {
  const { size } = modules;
  let path = "";
  for (let row = 0; row < size; row += 1) {
    let length = 0;
    for (let column = 0; column <= size; column += 1) {
      if (column < size && modules.get(row, column)) length += 1;
      else if (length > 0) {
        path += `M${column - length} ${row}h${length}v1h-${length}z`;
        length = 0;
      }
    }
  }
  return path;
}
