import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { Post } from "./connections.ts";
import { SimulatedAgent } from "./simulated-agent.ts";

const signingKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
const state = {
  hostID: "host-A",
  counter: 1,
  ipAddress: "10.0.0.1",
  signingKey: String(signingKey),
  trustedKeys: "",
  config: "pki: {}",
};
const NO_OP = { action: { command: "NoOp" }, responseToken: null };

function typeOf(body: string): string {
  const { message } = JSON.parse(body) as { message: string };
  return (JSON.parse(Buffer.from(message, "base64").toString()) as { type: string }).type;
}

const createAgent = (post: Post) =>
  SimulatedAgent.restore({ post, describeStatus: () => ({ nebulaVersion: "1.9.3" }) }, state);

describe("a report", () => {
  it("waits for the previous one, so that the server receives the newest one last", async () => {
    const replies: (() => void)[] = [];
    const agent = createAgent(() => new Promise((resolve) => replies.push(() => resolve(null))));
    const first = agent.report();
    await agent.report();
    expect(replies).toHaveLength(1);
    replies[0]!();
    await vi.waitFor(() => expect(replies).toHaveLength(2));
    replies[1]!();
    await first;
  });

  it("that failed is repeated after the next poll", async () => {
    const stopped = new AbortController();
    const sent: string[] = [];
    let isReachable = false;
    const agent = createAgent(async (_path, body) => {
      sent.push(typeOf(body));
      if (!isReachable) throw new Error("unreachable");
      stopped.abort();
      return NO_OP;
    });
    await agent.report();
    isReachable = true;
    await agent.run(stopped.signal);
    await vi.waitFor(() => expect(sent).toEqual(["ReportStatus", "LongPollWait", "ReportStatus"]));
  });
});
