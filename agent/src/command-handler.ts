/** Handles commands that a user sends from the console, in parallel with polling. */
import type { LongPollReply } from "@lightkeeper/contract/agent";
import { escapeLine } from "@lightkeeper/contract/characters";
import { isMap, readConfig } from "./config.ts";
import { runDebugCommand } from "./debug-commands.ts";
import { describeFailure } from "./errors.ts";
import type { NebulaLog } from "./nebula-log.ts";
import type { Nebula } from "./nebula.ts";
import { streamLogs } from "./stream-logs.ts";

export interface CommandHandlerOptions {
  readonly nebula: Nebula;
  readonly log: NebulaLog;
  readonly print: (message: string) => void;
  /** The YAML configuration that nebula runs. */
  readonly config: () => string;
  readonly respond: (value: unknown) => Promise<void>;
  /** Settles when the server ends the stream. */
  readonly stream: (value: unknown, lines: AsyncIterable<string>) => Promise<void>;
}

export class CommandHandler {
  private readonly options: CommandHandlerOptions;

  constructor(options: CommandHandlerOptions) {
    this.options = options;
  }

  async handle({ action, responseToken }: LongPollReply): Promise<void> {
    const { nebula, respond, print } = this.options;
    try {
      if (action.command === "StreamLogs") await this.stream(action, responseToken);
      else await respond({ responseToken, response: await runDebugCommand(action, nebula) });
    } catch (error) {
      print(`Can't send the result of ${escapeLine(action.command)}: ${describeFailure(error)}`);
    }
  }

  private async stream(action: LongPollReply["action"], responseToken: string): Promise<void> {
    const { nebula, log, config, stream } = this.options;
    const streamEnded = new AbortController();
    const level = () => {
      const { logging } = readConfig(config());
      return isMap(logging) && typeof logging.level === "string" ? logging.level : "info";
    };
    const source = {
      lines: log.lines,
      level,
      runConsoleCommand: (command: string) => nebula.runConsoleCommand(command),
    };
    try {
      await stream({ responseToken, response: null }, streamLogs(action, source, streamEnded.signal));
    } finally {
      streamEnded.abort();
    }
  }
}
