import { describe, expect, it } from "vitest";
import type { State } from "./state.ts";
import type { RunStatus } from "./status.ts";
import { describeStatus } from "./status.ts";

const setup = { config: "a", certificate: "b", nebulaKey: "c" };
const state = {
  network: { name: "Network1" },
  host: { name: "web-1", ipAddress: "100.100.0.2", ipAddresses: ["100.100.0.2"] },
  intended: setup,
  lastGood: { ...setup },
} as State;
const status: RunStatus = {
  agentVersion: "0.1.0",
  startedAt: "2026-11-15T00:00:00.000Z",
  nebulaVersion: "1.9.3",
  nebulaRunningSince: "2026-11-15T08:00:00.000Z",
  configHash: "ab",
  nebulaProblem: null,
  lastContactAt: "2026-11-15T09:00:00.000Z",
  serverProblem: null,
  clockOffsetSeconds: 0,
};
const at = (iso: string) => new Date(iso);
const now = at("2026-11-15T09:00:03.000Z");

describe("the status text", () => {
  it("is one line if there is no problem", () => {
    expect(describeStatus(state, status, true, now)).toBe(
      "Enrolled as web-1 (100.100.0.2) in Network1 · nebula 1.9.3 running since 2026-11-15T08:00:00.000Z · configuration up to date · last contact 3 s ago",
    );
  });

  it("reports that the agent isn't running", () => {
    expect(describeStatus(state, status, false, now)).toBe(
      "Enrolled as web-1 (100.100.0.2) in Network1\nThe agent isn't running. To start it: lightkeeper-agent run",
    );
  });

  it("reports that nebula runs an older configuration, and why", () => {
    const older = { ...state, lastGood: { ...setup, config: "z" } };
    const text = describeStatus(older, { ...status, nebulaProblem: "Nebula rejected it." }, true, now);
    expect(text).toContain("configuration out of date");
    expect(text).toContain("\nNebula rejected it.");
  });

  it("reports that nebula isn't running", () => {
    const text = describeStatus(state, { ...status, nebulaRunningSince: null }, true, now);
    expect(text).toContain("nebula 1.9.3 not running · last contact");
  });

  it("reports that the server was never reached, and why", () => {
    const text = describeStatus(state, { ...status, lastContactAt: null, serverProblem: "Gone." }, true, now);
    expect(text).toMatch(/never connected to the server\nGone\.$/);
  });

  it.each([
    [600, "10 min behind the server's"],
    [-7200, "2 h ahead of the server's"],
  ])("reports that the clock is %d s off", (clockOffsetSeconds, text) => {
    expect(describeStatus(state, { ...status, clockOffsetSeconds }, true, now)).toContain(text);
  });

  it.each([
    ["2026-11-15T09:01:59.000Z", "119 s ago"],
    ["2026-11-15T09:40:00.000Z", "40 min ago"],
    ["2026-11-15T14:00:00.000Z", "5 h ago"],
    ["2026-11-18T09:00:00.000Z", "3 days ago"],
    ["2026-11-15T08:00:00.000Z", "0 s ago"],
  ])("shows at %s that the last contact was %s", (time, text) => {
    expect(describeStatus(state, status, true, at(time))).toContain(text);
  });
});
