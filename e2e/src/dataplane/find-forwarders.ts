import type { OverlayHost } from "./overlay-host.ts";

const [COUNT, SIZE] = [10, 1000];

/** Bytes that the echoes contain, in each direction. */
export const ECHO_BYTES = COUNT * SIZE;

/** Bytes that a machine sends and receives if it forwards the echoes: far more than its other traffic. */
const FORWARDED_BYTES = 2 * ECHO_BYTES;

/** Names of the machines that forwarded large echoes from a host to an address; throws if there was no reply. */
export async function findForwarders(
  between: readonly OverlayHost[],
  from: OverlayHost,
  address: string,
): Promise<string[]> {
  const before = await Promise.all(between.map(({ machine }) => machine.traffic("eth0")));
  await from.machine.run("ping", "-n", "-q", "-i", "0.1", "-c", `${COUNT}`, "-s", `${SIZE}`, address);
  const after = await Promise.all(between.map(({ machine }) => machine.traffic("eth0")));
  return between
    .filter((_, at) =>
      (["received", "sent"] as const).every((way) => after[at]![way] - before[at]![way] >= FORWARDED_BYTES),
    )
    .map(({ machine }) => machine.name);
}
