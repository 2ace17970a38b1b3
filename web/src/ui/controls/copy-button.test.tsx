import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CopyButton } from "./copy-button.tsx";

const writeText = vi.fn<(text: string) => Promise<void>>();

beforeEach(async () => {
  // Loaded beforehand, because a dynamic import does not wait for a fake clock.
  await import("./tooltip-popup.tsx");
  vi.useFakeTimers();
  writeText.mockReset().mockResolvedValue();
  setClipboard({ writeText });
});
afterEach(() => {
  vi.useRealTimers();
  Reflect.deleteProperty(navigator, "clipboard");
});

function setClipboard(value: Pick<Clipboard, "writeText"> | undefined) {
  Object.defineProperty(navigator, "clipboard", { value, configurable: true });
}

const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const tooltip = () => screen.queryByRole("tooltip")?.textContent;

async function hover() {
  const button = screen.getByRole("button", { name: "Copy address" });
  fireEvent.mouseEnter(button);
  fireEvent.mouseMove(button, { movementX: 1, movementY: 1 });
  await advance(600);
}

async function click() {
  fireEvent.click(screen.getByRole("button", { name: "Copy address" }));
  await advance(0);
}

it("is labeled with what it copies, and shows Copy on hover [S2.30]", async () => {
  render(<CopyButton what="address" value="100.100.0.21" />);
  await hover();
  expect(tooltip()).toBe("Copy");
});

it("copies and shows Copied! for 2 seconds, also to screen readers [S2.30] [S9.6]", async () => {
  render(<CopyButton what="address" value="100.100.0.21" />);
  await click();
  await advance(1);
  expect(writeText).toHaveBeenCalledWith("100.100.0.21");
  expect(tooltip()).toBe("Copied!");
  expect(screen.getByRole("status").textContent).toBe("Copied!");
  await advance(1990);
  expect(screen.getByRole("status").textContent).toBe("Copied!");
  await advance(20);
  expect(screen.getByRole("status").textContent).toBe("");
  expect(tooltip()).not.toBe("Copied!");
});

it("shows Unable to copy when the clipboard fails [S2.30]", async () => {
  writeText.mockRejectedValue(new Error("denied"));
  render(<CopyButton what="address" value="100.100.0.21" />);
  await click();
  await advance(1);
  expect(tooltip()).toBe("Unable to copy");
  expect(screen.getByRole("status").textContent).toBe("Unable to copy");
});

it("shows Unable to copy without a clipboard [S2.30]", async () => {
  setClipboard(undefined);
  render(<CopyButton what="address" value="100.100.0.21" />);
  await click();
  expect(screen.getByRole("status").textContent).toBe("Unable to copy");
});
