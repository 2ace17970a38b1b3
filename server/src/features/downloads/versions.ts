/** Compares semantic versions; build metadata after a `+` is ignored. */

function parseVersion(version: string): { numbers: number[]; prerelease: string[] } {
  const [withoutBuild = ""] = version.split("+", 1);
  const [core = "", ...rest] = withoutBuild.split("-");
  const prerelease = rest.join("-");
  return { numbers: core.split(".").map(Number), prerelease: prerelease ? prerelease.split(".") : [] };
}

const isNumber = (identifier: string) => /^\d+$/.test(identifier);

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  if (isNumber(a)) return Number(a) - Number(b);
  return Number(a > b) - Number(a < b);
}

/** Negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release is newer than its prereleases.
  if (left.prerelease.length === 0 || right.prerelease.length === 0)
    return right.prerelease.length - left.prerelease.length;
  const longest = Math.max(left.prerelease.length, right.prerelease.length);
  for (let index = 0; index < longest; index++) {
    const difference = compareIdentifiers(left.prerelease[index], right.prerelease[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}
