import { expect, it } from "vitest";
import { PAUSE_SECONDS_MAX } from "@lightkeeper/contract/agent";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { OFFLINE_AFTER_MS } from "../../nouns/hosts/host-presence.service.ts";
import { WRITE_EVERY_MS } from "../agents/presence.service.ts";
import { WAIT_MS_MAX } from "../agents/update-priority.ts";
import { chooseDuration, POLL_MS } from "./long-polls.ts";
import { HELD_MS_MAX } from "./poll-waiter.ts";

it("ends polls that started together at different times, none later than the maximum", () => {
  const durations = Array.from({ length: 1000 }, () => chooseDuration(3000));
  expect(Math.max(...durations)).toBeLessThanOrEqual(3000);
  expect(Math.min(...durations)).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...durations) - Math.min(...durations)).toBeGreaterThan(900);
});

it("no connected host seems to be offline, even if a change affects very many hosts", () => {
  const longestMs = POLL_MS + HELD_MS_MAX + PAUSE_SECONDS_MAX * SECOND_MS + WAIT_MS_MAX;
  expect(longestMs + WRITE_EVERY_MS).toBeLessThan(OFFLINE_AFTER_MS);
});
