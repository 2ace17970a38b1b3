/** Reads and changes CHANGELOG.md, which follows Keep a Changelog. */
const UNRELEASED = "Unreleased";

const headingOf = (name) => new RegExp(`^## \\[${name.replaceAll(".", String.raw`\.`)}\\].*\n`, "m");

/** The position of a section's content, or undefined. */
function findSection(changelog, name) {
  const heading = headingOf(name).exec(changelog);
  if (!heading) return undefined;
  const start = heading.index + heading[0].length;
  const next = /^## \[/m.exec(changelog.slice(start));
  return { start, end: next ? start + next.index : changelog.length };
}

/** The content of a section without its heading; undefined if there's no such section. */
export function readSection(changelog, name) {
  const section = findSection(changelog, name);
  return section && changelog.slice(section.start, section.end).trim();
}

/** Moves the unreleased changes to the section of a version. A section that's already there stays as it is. */
export function releaseSection(changelog, version, date) {
  const unreleased = readSection(changelog, UNRELEASED);
  const released = readSection(changelog, version);
  if (unreleased === undefined) throw new Error(`CHANGELOG.md has no section [${UNRELEASED}].`);
  if (released && unreleased)
    throw new Error(`CHANGELOG.md has a section [${version}] and unreleased changes. Merge them first.`);
  if (released) return changelog;
  if (!unreleased) throw new Error(`CHANGELOG.md lists no changes for ${version}.`);
  const { start, end } = findSection(changelog, UNRELEASED);
  const rest = changelog.slice(end);
  return `${changelog.slice(0, start)}\n## [${version}] - ${date}\n\n${unreleased}\n${rest && `\n${rest}`}`;
}
