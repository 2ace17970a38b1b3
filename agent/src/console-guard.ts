/**
 * Keeps commands of the debug console and reloads apart. A reload restarts the console, and Nebula 1.9 and older lose
 * it for good if it is used at that moment.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicNow } from "./clock.ts";

const RELOAD_SECONDS = 1;
/** A console that doesn't respond must not prevent a reload. */
const COMMAND_WAIT_MAX_SECONDS = 3;

export class ConsoleGuard {
  private readonly commands = new Set<Promise<unknown>>();
  private isHeld = false;
  /** On the monotonic clock, in milliseconds. */
  private reloadedAt = Number.NEGATIVE_INFINITY;

  /** Whether the console is about to be restarted. */
  isReloading(): boolean {
    return this.isHeld || monotonicNow() - this.reloadedAt < RELOAD_SECONDS * 1000;
  }

  /** Waits until the console has been restarted. */
  async waitForReload(): Promise<void> {
    while (this.isReloading()) await sleep(RELOAD_SECONDS * 1000);
  }

  async runCommand(run: () => Promise<string>): Promise<string> {
    await this.waitForReload();
    const command = run();
    this.commands.add(command);
    try {
      return await command;
    } finally {
      this.commands.delete(command);
    }
  }

  /** Reloads when no command is running. */
  async reload<Result>(run: () => Result): Promise<Result> {
    this.isHeld = true;
    try {
      await this.waitForCommands();
      return run();
    } finally {
      this.isHeld = false;
      this.reloadedAt = monotonicNow();
    }
  }

  private async waitForCommands(): Promise<void> {
    if (this.commands.size === 0) return;
    const timeout = sleep(COMMAND_WAIT_MAX_SECONDS * 1000, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.commands), timeout]);
  }
}
