import { expect, it } from "vitest";
import { ConsoleGuard } from "./console-guard.ts";

it("reloads after the running commands, and runs later commands after the reload", async () => {
  const guard = new ConsoleGuard();
  const events: string[] = [];
  let finish: () => void = () => undefined;
  const first = guard.runCommand(async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    events.push("first command");
    return "one";
  });
  await Promise.resolve();
  const reload = guard.reload(() => events.push("reload"));
  expect(guard.isReloading()).toBe(true);
  const second = guard.runCommand(async () => {
    events.push("second command");
    return "two";
  });
  finish();
  expect(await Promise.all([first, reload, second])).toEqual(["one", 2, "two"]);
  expect(events).toEqual(["first command", "reload", "second command"]);
  expect(guard.isReloading()).toBe(false);
});

it("reloads after a command that failed, and although one hangs", async () => {
  const guard = new ConsoleGuard();
  const failed = guard.runCommand(() => Promise.reject(new Error("closed")));
  await expect(failed).rejects.toThrow("closed");
  void guard.runCommand(() => new Promise(() => undefined));
  expect(await guard.reload(() => "reloaded")).toBe("reloaded");
});

it("allows commands again after a reload that failed", async () => {
  const guard = new ConsoleGuard();
  const fail = () => {
    throw new Error("disk full");
  };
  await expect(guard.reload(fail)).rejects.toThrow("disk full");
  expect(await guard.runCommand(async () => "one")).toBe("one");
});
