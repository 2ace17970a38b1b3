import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Profiler, type ProfilerOnRenderCallback } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countFitting, FittingLine } from "./fitting-line.tsx";

describe("the number of items that fit on a line", () => {
  it.each([
    { widths: [50, 50, 50], room: 158, fitting: 3, what: "all, to the last pixel" },
    { widths: [50, 50, 50], room: 157, fitting: 2, what: "fewer, with room for how many more there are" },
    { widths: [50, 50, 50], room: 137, fitting: 1, what: "not one that would push the number out" },
    { widths: [500, 50], room: 100, fitting: 1, what: "a clipped one where it can still be recognized" },
    { widths: [500, 50], room: 60, fitting: 0, what: "none where it could not" },
    { widths: [], room: 0, fitting: 0, what: "none of none" },
  ])("$what", ({ widths, room, fitting }) => {
    expect(countFitting(widths, room, 4)).toBe(fitting);
  });
});

/** Lays out what jsdom does not: a line, and items that are all equally wide. */
function layOut({ room, item }: { room: number; item: number }) {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return new DOMRect(0, 0, this.hasAttribute("data-fitting-line") ? room : item, 22);
  });
}

const observed = { resize: (): void => undefined };
beforeEach(() => {
  class Observer implements ResizeObserver {
    readonly targets = new Set<Element>();
    readonly callback: ResizeObserverCallback;
    constructor(callback: ResizeObserverCallback) {
      this.callback = callback;
    }
    observe = (target: Element) => {
      this.targets.add(target);
      // Menus observe their own size.
      if (!target.hasAttribute("data-fitting-line")) return;
      observed.resize = () =>
        this.callback([...this.targets].map((line) => ({ target: line })) as ResizeObserverEntry[], this);
    };
    unobserve = (target: Element) => void this.targets.delete(target);
    disconnect = () => this.targets.clear();
  }
  vi.stubGlobal("ResizeObserver", Observer);
});
afterEach(() => vi.restoreAllMocks());

const copied = vi.fn<(text: string) => void>();
const line = (texts: string[]) => (
  <FittingLine
    texts={texts}
    as="chip"
    noun="tags"
    entryOf={(text) => ({ label: text, onSelect: () => copied(text) })}
  />
);
const shown = () =>
  [...screen.getByTitle(/env:prod/).querySelectorAll('[data-item="shown"], button')].map(
    ({ textContent }) => textContent,
  );

it("shows the number of hidden items, and all items in the tooltip", () => {
  layOut({ room: 146, item: 50 });
  render(line(["env:prod", "site:fra", "team:web", "tier:db"]));
  act(observed.resize);
  expect(shown()).toEqual(["env:prod", "site:fra", "+2"]);
  expect(screen.getByTitle("env:prod, site:fra, team:web, tier:db")).toBeDefined();
});

it("changes the line only after the sizes are observed, as the browser requires", () => {
  layOut({ room: 146, item: 50 });
  render(line(["env:prod", "site:fra", "team:web"]));
  layOut({ room: 200, item: 50 });
  act(() => {
    observed.resize();
    expect(shown()).toEqual(["env:prod", "site:fra", "+1"]);
  });
  expect(shown()).toEqual(["env:prod", "site:fra", "team:web"]);
});

it("opens a menu with the hidden items by keyboard", async () => {
  layOut({ room: 146, item: 50 });
  const user = userEvent.setup();
  render(line(["env:prod", "site:fra", "team:web", "tier:db"]));
  act(observed.resize);
  await user.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "+2 more tags" }));
  await user.keyboard("{Enter}");
  const items = await screen.findAllByRole("menuitem");
  expect(items.map(({ textContent }) => textContent)).toEqual(["team:web", "tier:db"]);
  await user.click(items[1]!);
  expect(copied).toHaveBeenCalledWith("tier:db");
});

it("counts again when the items or the width change", () => {
  layOut({ room: 146, item: 50 });
  const { rerender } = render(line(["env:prod"]));
  act(observed.resize);
  expect(shown()).toEqual(["env:prod"]);
  rerender(line(["env:prod", "site:fra", "team:web"]));
  act(observed.resize);
  expect(shown()).toEqual(["env:prod", "site:fra", "+1"]);
  layOut({ room: 200, item: 50 });
  act(observed.resize);
  expect(shown()).toEqual(["env:prod", "site:fra", "team:web"]);
});

it("is rendered once if all items were measured before, else twice", () => {
  layOut({ room: 92, item: 50 });
  const onRender = vi.fn<ProfilerOnRenderCallback>();
  const rendersOf = (texts: string[]) => {
    onRender.mockClear();
    render(
      <Profiler id="line" onRender={onRender}>
        {line(texts)}
      </Profiler>,
    );
    expect(shown()).toEqual([texts[0], "+1"]);
    cleanup();
    return onRender.mock.calls.length;
  };
  expect(rendersOf(["env:prod", "never:measured"])).toBe(2);
  expect(rendersOf(["env:prod", "never:measured"])).toBe(1);
});

it("is measured only after the browser has laid out the page, if all items were measured before", () => {
  layOut({ room: 92, item: 50 });
  render(line(["env:prod", "seen:before"]));
  cleanup();
  layOut({ room: 200, item: 50 });
  render(line(["env:prod", "seen:before"]));
  expect(shown()).toEqual(["env:prod", "+1"]);
  act(observed.resize);
  expect(shown()).toEqual(["env:prod", "seen:before"]);
});
