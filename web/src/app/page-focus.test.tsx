import { act, screen, waitFor } from "@testing-library/react";
import { Outlet } from "react-router";
import { expect, it, vi } from "vitest";
import { usePageTitle } from "../lib/title.ts";
import { renderRoutes } from "../testing/render.tsx";
import { transport } from "../testing/transport.ts";
import { useElapsed } from "../ui/base/timer.ts";
import { HEADING_TIMEOUT_MS, PageFocus } from "./page-focus.tsx";

function Untitled() {
  usePageTitle("Untitled");
  return <p>No heading</p>;
}

function Slow() {
  const arrived = useElapsed(50);
  return (
    <>
      <button type="button">Meanwhile</button>
      {arrived && <h1>Slow</h1>}
    </>
  );
}

function show() {
  transport();
  const layout = (
    <>
      <main tabIndex={-1}>
        <Outlet />
      </main>
      <PageFocus />
    </>
  );
  const children = [
    { path: "/", element: <h1>First</h1> },
    { path: "/second", element: <h1>Second</h1> },
    { path: "/field", element: <input aria-label="Name" autoFocus /> },
    { path: "/slow", element: <Slow /> },
    { path: "/untitled", element: <Untitled /> },
  ];
  return renderRoutes([{ element: layout, children }]);
}

const focused = () => document.activeElement;

it("doesn't move the focus when the console is opened", () => {
  show();
  expect(focused()).toBe(document.body);
});

it("moves the focus to the heading of the new page", async () => {
  const { router } = show();
  await act(() => router.navigate("/second"));
  expect(focused()).toBe(screen.getByRole("heading", { name: "Second" }));
});

it("keeps the focus that the page has set", async () => {
  const { router } = show();
  await act(() => router.navigate("/field"));
  expect(focused()).toBe(screen.getByLabelText("Name"));
});

it("waits for a heading that appears with the data", async () => {
  const { router } = show();
  await act(() => router.navigate("/slow"));
  expect(focused()).toBe(screen.getByRole("main"));
  const heading = await screen.findByRole("heading", { name: "Slow" });
  await waitFor(() => expect(focused()).toBe(heading));
});

it("doesn't take the focus from someone who has moved it", async () => {
  const { router, user } = show();
  await act(() => router.navigate("/slow"));
  await user.click(screen.getByRole("button", { name: "Meanwhile" }));
  await screen.findByRole("heading", { name: "Slow" });
  await act(async () => undefined);
  expect(focused()).toBe(screen.getByRole("button", { name: "Meanwhile" }));
});

it("announces the title of a page without a heading", async () => {
  vi.useFakeTimers();
  const { router, container } = show();
  await act(() => router.navigate("/untitled"));
  await act(() => vi.advanceTimersByTimeAsync(HEADING_TIMEOUT_MS));
  expect(focused()).toBe(screen.getByRole("main"));
  expect(container.querySelector('[aria-live="polite"]')?.textContent).toBe("Untitled - Lightkeeper");
  vi.useRealTimers();
});

it("doesn't move the focus when only the query changes", async () => {
  const { router } = show();
  await act(() => router.navigate("/?cursor=b"));
  expect(focused()).toBe(document.body);
});
