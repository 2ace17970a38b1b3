/** Ranges of ports as the access engine counts them: from 0, and with later fragments as one more port after the last. */
import { PORT_MAX } from "@lightkeeper/contract/limits";
import type { Traffic, TrafficRange } from "@lightkeeper/nebula/access";

export const LATER_FRAGMENTS = PORT_MAX + 1;

export const isWholeRange = ({ from, to }: TrafficRange): boolean => from <= 0 && to >= LATER_FRAGMENTS;

export const includesTraffic = (
  ranges: readonly TrafficRange[],
  { protocol, port = 0 }: Pick<Traffic, "protocol" | "port">,
): boolean => ranges.some((range) => range.protocol === protocol && port >= range.from && port <= range.to);
