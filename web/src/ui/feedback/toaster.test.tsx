import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { closeToast, toast, toastStore } from "./toast.ts";
import { Toaster } from "./toaster.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const { id } of toastStore.get()) act(() => closeToast(id));
  vi.useRealTimers();
});

const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const region = () => screen.getByRole("region", { name: "Notifications" });

it("shows a message for 4 seconds, without interrupting screen readers", async () => {
  render(<Toaster />);
  act(() => void toast("Saved"));
  expect(screen.getByText("Saved").closest("[aria-live]")?.getAttribute("aria-live")).toBe("polite");
  await advance(3999);
  expect(screen.queryByText("Saved")).not.toBeNull();
  await advance(1);
  expect(screen.queryByText("Saved")).toBeNull();
});

it("pauses on hover and then continues with the remaining time", async () => {
  render(<Toaster />);
  act(() => void toast("Saved"));
  await advance(3000);
  fireEvent.mouseEnter(region());
  await advance(60_000);
  expect(screen.queryByText("Saved")).not.toBeNull();
  fireEvent.mouseLeave(region());
  await advance(999);
  expect(screen.queryByText("Saved")).not.toBeNull();
  await advance(1);
  expect(screen.queryByText("Saved")).toBeNull();
});

it("pauses while it has the focus", async () => {
  render(<Toaster />);
  act(() => void toast("Saved"));
  act(() => screen.getByRole("button", { name: "Close notification" }).focus());
  await advance(60_000);
  expect(screen.queryByText("Saved")).not.toBeNull();
});

it("shows an error longer, with the request ID", async () => {
  render(
    <>
      <button>Before</button>
      <Toaster />
    </>,
  );
  act(() => screen.getByRole("button", { name: "Before" }).focus());
  act(() => void toast("Could not save", { tone: "danger", requestID: "req-1" }));
  await advance(9000);
  expect(screen.queryByText("req-1")).not.toBeNull();
  expect(screen.queryByRole("button", { name: "Copy request ID" })).not.toBeNull();
  const close = screen.getByRole("button", { name: "Close notification" });
  act(() => close.focus());
  fireEvent.click(close);
  expect(screen.queryByText("Could not save")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Before" }));
});

it("hides an error after 10 seconds", async () => {
  render(<Toaster />);
  act(() => void toast("Could not save", { tone: "danger" }));
  await advance(10_000);
  expect(screen.queryByText("Could not save")).toBeNull();
});

it("runs its action once and closes", () => {
  const undo = vi.fn<() => void>();
  render(<Toaster />);
  act(() => void toast("Deleted", { action: { label: "Undo", onSelect: undo } }));
  fireEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect(undo).toHaveBeenCalledTimes(1);
  expect(screen.queryByText("Deleted")).toBeNull();
});
