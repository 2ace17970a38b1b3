const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];
const RATES = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"];
const STEP = 1000;

function scale(value: number, units: readonly string[]): string {
  let [scaled, unit] = [value, 0];
  while (scaled >= STEP && unit < units.length - 1) {
    scaled /= STEP;
    unit += 1;
  }
  const rounded = scaled < 10 && unit > 0 ? Math.round(scaled * 10) / 10 : Math.round(scaled);
  return `${rounded} ${units[unit]}`;
}

/** "3.2 GB" */
export const formatBytes = (bytes: number): string => scale(bytes, UNITS);

/** "9.4 Mbit/s" */
export const formatRate = (bytes: number, seconds: number): string => scale((bytes * 8) / seconds, RATES);
