/** The tests' hand inside a machine: serves ports there and tries others from there. */
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

export interface HeldConnection {
  /** Whether what is said on it comes back, within the time. */
  answers: (ms?: number) => Promise<boolean>;
}

export interface Echoes {
  sent: number;
  received: number;
  /** Never answered, although a later one was. */
  lost: number;
  /** The most that were lost one after the other. */
  lostInARow: number;
}

export class Probe {
  private readonly machine: Machine;
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiter>();
  private asked = 0;

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

  serve(protocol: Protocol, port: number): Promise<boolean> {
    return this.ask({ do: "serve", protocol, port });
  }

  /** Whether somebody answers there, within the time. */
  reach(protocol: Protocol, host: string, port: number, ms = 700): Promise<boolean> {
    return this.ask({ do: "reach", protocol, host, port, ms });
  }

  /** A TCP connection that stays open; fails when none comes about. */
  async hold(host: string, port: number, ms = 5000): Promise<HeldConnection> {
    const held = this.asked + 1;
    if (!(await this.ask({ do: "hold", host, port, ms }))) throw new Error(`No answer from ${host}:${port}`);
    return { answers: (within = 700) => this.ask({ do: "echo", held, ms: within }) };
  }

  /** One ICMP echo. */
  async ping(host: string, seconds = 1): Promise<boolean> {
    return this.machine.run("ping", "-n", "-q", "-c", "1", "-W", String(seconds), host).then(
      () => true,
      () => false,
    );
  }

  /** Echoes at a steady pace until stopped. */
  pingOn(host: string, everyMs = 100): { stop: () => Promise<Echoes> } {
    const child = this.machine.spawn("ping", ["-n", "-i", String(everyMs / 1000), host]);
    let output = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => (output += text));
    return {
      stop: async () => {
        const gone = once(child, "close");
        child.kill("SIGINT");
        await gone;
        const [, sent] = /(\d+) packets transmitted/.exec(output) ?? [];
        if (sent === undefined) throw new Error(`ping said nothing of use: ${output}`);
        const answered = new Set(
          [...output.matchAll(/icmp_seq=(\d+) ttl/g)].map(([, number]) => Number(number)),
        );
        return { sent: Number(sent), received: answered.size, ...holesIn(answered) };
      },
    };
  }

  private ask(request: object): Promise<boolean> {
    const id = (this.asked += 1);
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail });
      this.child.stdin!.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }
}

function holesIn(answered: ReadonlySet<number>): Pick<Echoes, "lost" | "lostInARow"> {
  const numbers = [...answered].toSorted((a, b) => a - b);
  const holes = numbers.map((number, index) => number - (numbers[index - 1] ?? 0) - 1);
  return { lost: holes.reduce((sum, hole) => sum + hole, 0), lostInARow: Math.max(0, ...holes) };
}
