/**
 * The package `diff` was measured (version 9): 1,000 lines of which half changed take it 155 ms instead
 * of 20, 500 replaced lines 75 ms instead of 5, and it adds 0.9 KB (gzip) to the pages with a diff.
 */
export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Above this many pairs of lines, the differing part is shown as replaced as a whole. */
const PAIRS_MAX = 4_000_000;

const all = (kind: DiffLine["kind"], texts: readonly string[]): DiffLine[] =>
  texts.map((text) => ({ kind, text }));

/** The lengths of the longest common subsequences of every pair of tails. */
function commonLengths(before: readonly string[], after: readonly string[]) {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > PAIRS_MAX) return [...all("removed", before), ...all("added", after)];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ kind: "same", text: before[i] ?? "" });
      i += 1;
      j += 1;
    } else if (common(i + 1, j) >= common(i, j + 1)) {
      lines.push({ kind: "removed", text: before[i++] ?? "" });
    } else {
      lines.push({ kind: "added", text: after[j++] ?? "" });
    }
  }
  return [...lines, ...all("removed", before.slice(i)), ...all("added", after.slice(j))];
}

const linesOf = (text: string) => text.replace(/\n$/, "").split("\n");

/** The changes that turn `before` into `after`, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...all("same", old.slice(0, start)),
    ...diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...all("same", old.slice(old.length - end)),
  ];
}

export interface PlacedLine {
  place: number;
  /** Undefined for a gap of unchanged lines. */
  line: DiffLine | undefined;
}

/** The changed lines with a few unchanged lines around them. */
export function withContext(lines: readonly DiffLine[], context: number): PlacedLine[] {
  const isNear = lines.map((_, place) =>
    lines.slice(Math.max(0, place - context), place + context + 1).some(({ kind }) => kind !== "same"),
  );
  return lines.flatMap((line, place): PlacedLine[] => {
    if (isNear[place]) return [{ place, line }];
    return place === 0 || isNear[place - 1] ? [{ place, line: undefined }] : [];
  });
}
