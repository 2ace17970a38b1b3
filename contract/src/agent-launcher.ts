/** How Node.js runs the agent, so that it needs little memory. */
import flags from "./agent-node-flags.json";

/**
 * Before version 24, Node.js warns that --jitless disables WebAssembly unless --no-expose-wasm is set too. Later
 * versions reject --no-expose-wasm.
 */
const FIRST_WITHOUT_WARNING = 24;

/** For a version such as "22.23.3". */
export const nodeFlagsOf = (version: string): string[] =>
  Number.parseInt(version, 10) < FIRST_WITHOUT_WARNING ? [...flags.before24, ...flags.all] : flags.all;

/** A shell script that runs the agent's bundle with any version of Node.js: a host may install a later one. */
export const launcherOf = ({ node, bundle }: { node: string; bundle: string }): string => `#!/bin/sh
case $(${node} -v) in
  v2[0-3].*) wasm_flags="${flags.before24.join(" ")}" ;;
  *) wasm_flags= ;;
esac
exec ${node} $wasm_flags ${flags.all.join(" ")} ${bundle} "$@"
`;
