import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { popoverOverflowPaddingPx } from "../base/popover.ts";
import { Tooltip } from "./tooltip.tsx";

beforeEach(async () => {
  // Loaded beforehand, because a dynamic import does not wait for a fake clock.
  await import("./tooltip-popup.tsx");
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it("appears after hovering for 500 ms and disappears with the pointer [S9.6]", async () => {
  render(
    <Tooltip text="Opens the settings">
      <button>Settings</button>
    </Tooltip>,
  );
  const button = screen.getByRole("button");
  fireEvent.mouseEnter(button);
  fireEvent.mouseMove(button, { movementX: 1, movementY: 1 });
  await advance(490);
  expect(screen.queryByRole("tooltip")).toBeNull();
  await advance(20);
  expect(screen.getByRole("tooltip").textContent).toBe("Opens the settings");
  fireEvent.mouseMove(document.body, { movementX: 100, movementY: 100, clientX: 500, clientY: 500 });
  fireEvent.mouseLeave(button);
  await advance(1000);
  expect(screen.queryByRole("tooltip")).toBeNull();
});

it("stays 8 px away from the window's edge [S9.6]", () => {
  expect(popoverOverflowPaddingPx).toBe(8);
});

it("stays open where it was pressed for as long as requested", async () => {
  const button = <button>Copy</button>;
  const { rerender } = render(<Tooltip text="Copy">{button}</Tooltip>);
  fireEvent.click(screen.getByRole("button"));
  await advance(0);
  expect(screen.queryByRole("tooltip")).toBeNull();
  rerender(
    <Tooltip text="Copied!" open>
      {button}
    </Tooltip>,
  );
  await advance(0);
  expect(screen.getByRole("tooltip").textContent).toBe("Copied!");
  rerender(<Tooltip text="Copy">{button}</Tooltip>);
  await advance(500);
  expect(screen.queryByRole("tooltip")).toBeNull();
});

it("appears immediately on keyboard focus, disappears on blur, and is the only one", async () => {
  render(
    <>
      <Tooltip text="First">
        <button>One</button>
      </Tooltip>
      <Tooltip text="Second">
        <button>Two</button>
      </Tooltip>
    </>,
  );
  const [one, two] = screen.getAllByRole("button");
  // jsdom does not know by what the focus came.
  vi.spyOn(one!, "matches").mockImplementation((selector) => selector === ":focus-visible");
  act(() => one?.focus());
  await advance(0);
  expect(screen.getByRole("tooltip").textContent).toBe("First");
  fireEvent.mouseEnter(two!);
  await advance(600);
  expect(screen.getAllByRole("tooltip").map(({ textContent }) => textContent)).toEqual(["Second"]);
  fireEvent.mouseDown(two!);
  await advance(0);
  expect(screen.queryByRole("tooltip")).toBeNull();
  act(() => two?.focus());
  act(() => one?.focus());
  await advance(0);
  expect(screen.getByRole("tooltip").textContent).toBe("First");
  act(() => one?.blur());
  await advance(0);
  expect(screen.queryByRole("tooltip")).toBeNull();
});

it("keeps the button's own handlers", async () => {
  const [click, focus] = [vi.fn<() => void>(), vi.fn<() => void>()];
  render(
    <Tooltip text="Opens the settings">
      <button onClick={click} onFocus={focus}>
        Settings
      </button>
    </Tooltip>,
  );
  fireEvent.focus(screen.getByRole("button"));
  fireEvent.click(screen.getByRole("button"));
  await advance(0);
  expect([click, focus].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});
