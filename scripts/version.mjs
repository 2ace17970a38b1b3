/** Version numbers and the files that contain them. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

const parse = (version) => VERSION.exec(version)?.slice(1).map(Number);

function compare(a, b) {
  const [left, right] = [parse(a), parse(b)];
  const index = left.findIndex((part, position) => part !== right[position]);
  return index === -1 ? 0 : left[index] - right[index];
}

/** Why a version can't be released, or undefined. The current version can be released if it has no tag yet. */
export function validateVersion(version, { current, tags }) {
  if (!version || !parse(version)) return "Enter a version such as 1.2.3.";
  if (tags.includes(`v${version}`)) return `The tag v${version} already exists.`;
  if (compare(version, current) < 0) return `${version} is older than the current version, ${current}.`;
  return undefined;
}

/** Sets the version in the content of a package.json. */
export function setVersion(json, version) {
  return `${JSON.stringify({ ...JSON.parse(json), version }, null, 2)}\n`;
}

/** Sets the version of the root and of the workspaces in the content of a package-lock.json. */
export function setLockVersion(json, version, workspaces) {
  const lock = JSON.parse(json);
  for (const entry of ["", ...workspaces]) lock.packages[entry].version = version;
  return `${JSON.stringify({ ...lock, version }, null, 2)}\n`;
}
