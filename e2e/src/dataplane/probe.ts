/** A process inside a machine that serves ports and connects to others on behalf of the tests. */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ChildProcess } from "node:child_process";
import type { Machine } from "./underlay.ts";

export type Protocol = "tcp" | "udp";
interface Waiter {
  done: (value: boolean) => void;
  fail: (error: Error) => void;
}

export interface OpenConnection {
  /** Whether an echo comes back within the time. */
  isAlive: (ms?: number) => Promise<boolean>;
}

export interface PingResult {
  sent: number;
  received: number;
  /** Echoes without a reply, although a later one had one. */
  lost: number;
  /** The longest sequence of lost echoes. */
  lostInARow: number;
}

export class Probe {
  private readonly machine: Machine;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiter>();
  private requestCount = 0;

  constructor(machine: Machine) {
    this.machine = machine;
    this.child = machine.spawn(process.execPath, [join(import.meta.dirname, "probe.mjs")]);
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      const { id, value, error } = JSON.parse(line) as { id: number; value: boolean; error?: string };
      const waiter = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === undefined) waiter?.done(value);
      else waiter?.fail(new Error(error));
    });
  }

  /** On all IPv4 addresses of the machine, or on one address; `::` means all IPv6 addresses. */
  serve(protocol: Protocol, port: number, address?: string): Promise<boolean> {
    return this.send({ do: "serve", protocol, port, address });
  }

  /** Whether the port responds within the time. The size is that of a UDP message. */
  reach(protocol: Protocol, host: string, port: number, ms = 700, size?: number): Promise<boolean> {
    return this.send({ do: "reach", protocol, host, port, ms, size });
  }

  /** Opens a TCP connection that stays open; throws if that fails. */
  async openConnection(host: string, port: number, ms = 5000): Promise<OpenConnection> {
    const connectionID = this.requestCount + 1;
    if (!(await this.send({ do: "open", host, port, ms }))) throw new Error(`No reply from ${host}:${port}`);
    return { isAlive: (within = 700) => this.send({ do: "echo", connectionID, ms: within }) };
  }

  /** Sends one ICMP echo. */
  async ping(host: string, seconds = 1): Promise<boolean> {
    return this.machine.run("ping", "-n", "-q", "-c", "1", "-W", String(seconds), host).then(
      () => true,
      () => false,
    );
  }

  /** Sends ICMP echoes at a constant rate until stopped. */
  startPing(host: string, everyMs = 100): { stop: () => Promise<PingResult> } {
    const child = this.machine.spawn("ping", ["-n", "-i", String(everyMs / 1000), host]);
    // Listens from the start, because ping exits immediately if there is no route.
    const closed = once(child, "close");
    let output = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => (output += text));
    return {
      stop: async () => {
        child.kill("SIGINT");
        await closed;
        const [, sent] = /(\d+) packets transmitted/.exec(output) ?? [];
        if (sent === undefined) throw new Error(`Unexpected output of ping: ${output}`);
        const replies = new Set(
          [...output.matchAll(/icmp_seq=(\d+) ttl/g)].map(([, number]) => Number(number)),
        );
        return { sent: Number(sent), received: replies.size, ...countLost(replies) };
      },
    };
  }

  private send(request: object): Promise<boolean> {
    const id = (this.requestCount += 1);
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      this.child.stdin!.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }
}

function countLost(replies: ReadonlySet<number>): Pick<PingResult, "lost" | "lostInARow"> {
  const numbers = [...replies].toSorted((a, b) => a - b);
  const gaps = numbers.map((number, index) => number - (numbers[index - 1] ?? 0) - 1);
  return { lost: gaps.reduce((sum, gap) => sum + gap, 0), lostInARow: Math.max(0, ...gaps) };
}
