/** What must be true of a host whatever else it is. */
import { isStaticAddress } from "@lightkeeper/nebula";
import { type Problem, requireNoProblems } from "../../infrastructure/errors/api-error.ts";

export interface Shape {
  isLighthouse: boolean;
  isRelay: boolean;
  staticAddresses: readonly string[];
  listenPort: number;
}

/** What the caller calls a property. */
export type PathOf = (property: string) => string;

export function requireValidHostInput(host: Shape, pathOf: PathOf): void {
  const faults: Problem[] = host.staticAddresses.flatMap((address, index) =>
    isStaticAddress(address)
      ? []
      : [fault(pathOf(`staticAddresses[${index}]`), "must be an IPv4 address or host name with a port")],
  );
  if (host.isLighthouse && host.isRelay)
    faults.push(fault(undefined, "a host is a lighthouse or a relay, not both"));
  if (host.isLighthouse && host.staticAddresses.length === 0)
    faults.push(fault(pathOf("staticAddresses"), "a lighthouse needs a static address"));
  if ((host.isLighthouse || host.isRelay) && host.listenPort === 0)
    faults.push(
      fault(pathOf("listenPort"), `a ${host.isLighthouse ? "lighthouse" : "relay"} needs a fixed port`),
    );
  requireNoProblems(faults);
}

const fault = (path: string | undefined, message: string): Problem => ({
  code: "ERR_INVALID_VALUE",
  ...(path !== undefined && { path }),
  message,
});
