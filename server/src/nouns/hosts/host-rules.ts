/** The rules for the input of every host. */
import { isStaticAddress } from "@lightkeeper/nebula";
import { type Problem, requireNoProblems } from "../../infrastructure/errors/api-error.ts";

export interface CheckedInput {
  isLighthouse: boolean;
  isRelay: boolean;
  staticAddresses: readonly string[];
  listenPort: number;
}

/** The caller's name for a property. */
export type PathOf = (property: string) => string;

export function requireValidHostInput(host: CheckedInput, pathOf: PathOf): void {
  const problems: Problem[] = host.staticAddresses.flatMap((address, index) =>
    isStaticAddress(address)
      ? []
      : [problem(pathOf(`staticAddresses[${index}]`), "must be an IPv4 address or host name with a port")],
  );
  if (host.isLighthouse && host.isRelay)
    problems.push(problem(undefined, "a host is a lighthouse or a relay, not both"));
  if (host.isLighthouse && host.staticAddresses.length === 0)
    problems.push(problem(pathOf("staticAddresses"), "a lighthouse needs a static address"));
  if ((host.isLighthouse || host.isRelay) && host.listenPort === 0)
    problems.push(
      problem(pathOf("listenPort"), `a ${host.isLighthouse ? "lighthouse" : "relay"} needs a fixed port`),
    );
  requireNoProblems(problems);
}

const problem = (path: string | undefined, message: string): Problem => ({
  code: "ERR_INVALID_VALUE",
  ...(path !== undefined && { path }),
  message,
});
