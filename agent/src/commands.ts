/** What somebody at the console asked of this host, answered beside everything else the agent does. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import { escapeLine } from "@lightkeeper/contract/characters";
import { isMap, readConfig } from "./config.ts";
import { answerCommand } from "./debug.ts";
import { sentenceOf } from "./failure.ts";
import type { NebulaLog } from "./logs.ts";
import type { Nebula } from "./nebula.ts";
import { streamLogs } from "./stream-logs.ts";

export interface CommandsOptions {
  readonly nebula: Nebula;
  readonly log: NebulaLog;
  readonly say: (sentence: string) => void;
  /** YAML that nebula runs with. */
  readonly config: () => string;
  readonly respond: (value: unknown) => Promise<void>;
  /** Settles when nobody listens any more. */
  readonly stream: (value: unknown, lines: AsyncIterable<string>) => Promise<void>;
}

export class Commands {
  private readonly options: CommandsOptions;

  constructor(options: CommandsOptions) {
    this.options = options;
  }

  async answer({ action, responseToken }: LongPollReply): Promise<void> {
    const { nebula, respond, say } = this.options;
    try {
      if (action.command === "StreamLogs") await this.stream(action, responseToken);
      else await respond({ responseToken, response: await answerCommand(action, nebula) });
    } catch (error) {
      say(`The answer to ${escapeLine(action.command)} could not be given: ${sentenceOf(error)}`);
    }
  }

  private async stream(action: LongPollReply["action"], responseToken: string): Promise<void> {
    const { nebula, log, config, stream } = this.options;
    const over = new AbortController();
    const level = () => {
      const { logging } = readConfig(config());
      return isMap(logging) && typeof logging.level === "string" ? logging.level : "info";
    };
    const source = { lines: log.lines, level, ask: (command: string) => nebula.ask(command) };
    try {
      await stream({ responseToken, response: null }, streamLogs(action, source, over.signal));
    } finally {
      over.abort();
    }
  }
}
