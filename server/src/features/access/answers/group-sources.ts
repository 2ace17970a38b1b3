import type { AccessMatrix } from "@lightkeeper/nebula/access";

/** Numbers the classes so that those with the same number match the same openings of the destination. */
export function groupSources({ openings, classes }: AccessMatrix, destination: number): Uint32Array {
  const groups = new Uint32Array(classes.length);
  let groupCount = 1;
  for (const { sources } of openings[destination] ?? []) {
    const numbers = new Int32Array(groupCount * 2).fill(-1);
    groupCount = 0;
    for (let position = 0; position < groups.length; position += 1) {
      const isSource = (sources[position >>> 5]! >>> (position & 31)) & 1;
      const key = groups[position]! * 2 + isSource;
      if (numbers[key] === -1) numbers[key] = groupCount++;
      groups[position] = numbers[key]!;
    }
  }
  return groups;
}
