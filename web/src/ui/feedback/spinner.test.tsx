import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Spinner } from "./spinner.tsx";
import styles from "./spinner.module.css";

afterEach(() => void vi.useRealTimers());

it("is 32 wide by default [S9.7]", () => {
  render(<Spinner />);
  const spinner = screen.getByRole("img", { name: "Loading" });
  expect(spinner.getAttribute("width")).toBe("32");
  expect(spinner.getAttribute("height")).toBe("32");
});

it.each([
  [47, false],
  [48, true],
  [64, true],
])("at %i is drawn in the large style: %s [S9.7]", (size, isLarge) => {
  render(<Spinner size={size} />);
  expect(screen.getByRole("img").classList.contains(styles.large ?? "")).toBe(isLarge);
});

it("appears only after 150 ms when delayed", () => {
  vi.useFakeTimers();
  render(<Spinner delayed />);
  act(() => void vi.advanceTimersByTime(149));
  expect(screen.queryByRole("img")).toBeNull();
  act(() => void vi.advanceTimersByTime(1));
  expect(screen.queryByRole("img")).not.toBeNull();
});
