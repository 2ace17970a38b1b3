import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keyName, listenForShortcuts, useShortcut, useShortcuts } from "./shortcuts.ts";

let stop: () => void;
beforeEach(() => {
  stop = listenForShortcuts();
});
afterEach(() => stop());

function Page({ keys, run }: { keys: string; run: () => void }) {
  useShortcut(keys, `Does ${keys}`, run);
  return (
    <>
      <input aria-label="Name" />
      <div role="dialog">
        <button type="button">In a dialog</button>
      </div>
    </>
  );
}

it("runs a single key", async () => {
  const run = vi.fn();
  render(<Page keys="c" run={run} />);
  await userEvent.keyboard("c");
  expect(run).toHaveBeenCalledOnce();
});

it("runs two keys in a row, not the second alone", async () => {
  const run = vi.fn();
  render(<Page keys="g n" run={run} />);
  await userEvent.keyboard("n");
  expect(run).not.toHaveBeenCalled();
  await userEvent.keyboard("gn");
  expect(run).toHaveBeenCalledOnce();
});

it("never runs the second key of a sequence as its own shortcut", async () => {
  const create = vi.fn();
  render(<Page keys="c" run={create} />);
  render(<Page keys="g n" run={vi.fn()} />);
  await userEvent.keyboard("gc");
  expect(create).not.toHaveBeenCalled();
  await userEvent.keyboard("c");
  expect(create).toHaveBeenCalledOnce();
});

it("runs a key with the command key, while typing and in a dialog too", async () => {
  const run = vi.fn();
  render(<Page keys="Mod+k" run={run} />);
  await userEvent.type(screen.getByLabelText("Name"), "{Control>}k{/Control}");
  screen.getByRole("button").focus();
  await userEvent.keyboard("{Control>}K{/Control}");
  expect(run).toHaveBeenCalledTimes(2);
  await userEvent.keyboard("k{Control>}{Shift>}k{/Shift}{/Control}{Meta>}k{/Meta}");
  expect(run).toHaveBeenCalledTimes(2);
});

it("uses and shows ⌘ as the command key on a Mac", async () => {
  expect(keyName("Mod+k")).toBe("Ctrl K");
  const platform = vi.spyOn(navigator, "platform", "get").mockReturnValue("MacIntel");
  expect(keyName("Mod+k")).toBe("⌘K");
  expect(keyName("g")).toBe("g");
  const run = vi.fn();
  render(<Page keys="Mod+k" run={run} />);
  await userEvent.keyboard("{Control>}k{/Control}");
  expect(run).not.toHaveBeenCalled();
  await userEvent.keyboard("{Meta>}k{/Meta}");
  expect(run).toHaveBeenCalledOnce();
  platform.mockRestore();
});

it("runs a key typed with shift", async () => {
  const run = vi.fn();
  render(<Page keys="?" run={run} />);
  await userEvent.keyboard("{Shift>}?{/Shift}");
  expect(run).toHaveBeenCalledOnce();
});

it("ignores keys while typing, in a dialog, or with a modifier", async () => {
  const run = vi.fn();
  render(<Page keys="c" run={run} />);
  await userEvent.type(screen.getByLabelText("Name"), "c");
  screen.getByRole("button").focus();
  await userEvent.keyboard("c");
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard("{Control>}c{/Control}");
  expect(run).not.toHaveBeenCalled();
});

it("runs the shortcut registered last, with its latest handler", async () => {
  const layout = vi.fn();
  const first = vi.fn();
  const second = vi.fn();
  render(<Page keys="c" run={layout} />);
  const page = render(<Page keys="c" run={first} />);
  page.rerender(<Page keys="c" run={second} />);
  await userEvent.keyboard("c");
  expect([layout, first, second].map((run) => run.mock.calls.length)).toEqual([0, 0, 1]);
});

it("removes a shortcut with its page, and lists the registered ones", async () => {
  const List = () => <p>{useShortcuts().map(({ description }) => description)}</p>;
  const run = vi.fn();
  render(<List />);
  const page = render(<Page keys="c" run={run} />);
  expect(screen.getByText("Does c")).toBeTruthy();
  page.unmount();
  expect(screen.queryByText("Does c")).toBeNull();
  await userEvent.keyboard("c");
  expect(run).not.toHaveBeenCalled();
});
