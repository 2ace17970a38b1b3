import { act, cleanup, render, screen } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { countFitting, FittingLine } from "./fitting-line.tsx";

describe("how many fit in a line", () => {
  it.each([
    { widths: [50, 50, 50], room: 158, fitting: 3, what: "all, to the last pixel" },
    { widths: [50, 50, 50], room: 157, fitting: 2, what: "fewer, with room for how many more there are" },
    { widths: [50, 50, 50], room: 137, fitting: 1, what: "not one that would push the number out" },
    { widths: [500, 50], room: 100, fitting: 1, what: "one at least, however long" },
    { widths: [], room: 0, fitting: 0, what: "none of none" },
  ])("$what", ({ widths, room, fitting }) => {
    expect(countFitting(widths, room, 4)).toBe(fitting);
  });
});

/** Lays out what jsdom does not: a line, and items that are all equally wide. */
function layOut({ room, item }: { room: number; item: number }) {
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(item);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(room);
}

const observed = { resize: (): void => undefined };
beforeAll(() => {
  class Observer implements ResizeObserver {
    readonly targets = new Set<Element>();
    constructor(callback: ResizeObserverCallback) {
      observed.resize = () =>
        callback([...this.targets].map((target) => ({ target })) as ResizeObserverEntry[], this);
    }
    observe = (target: Element) => void this.targets.add(target);
    unobserve = (target: Element) => void this.targets.delete(target);
    disconnect = () => this.targets.clear();
  }
  vi.stubGlobal("ResizeObserver", Observer);
});
afterAll(() => vi.unstubAllGlobals());
afterEach(() => vi.restoreAllMocks());

const line = (texts: string[]) => <FittingLine texts={texts} as="chip" />;
const shown = () => screen.getByTitle(/env:prod/).textContent;

it("says how many more there are, before those that are out of sight, and all of them in the tooltip", () => {
  layOut({ room: 140, item: 50 });
  render(line(["env:prod", "site:fra", "team:web", "tier:db"]));
  act(observed.resize);
  expect(shown()).toBe("env:prodsite:fra+2team:webtier:db");
  expect(screen.getByTitle("env:prod, site:fra, team:web, tier:db")).toBeDefined();
});

it("counts anew when there are others to show, and when there is more room", () => {
  layOut({ room: 140, item: 50 });
  const { rerender } = render(line(["env:prod"]));
  act(observed.resize);
  expect(shown()).toBe("env:prod");
  rerender(line(["env:prod", "site:fra", "team:web"]));
  act(observed.resize);
  expect(shown()).toBe("env:prodsite:fra+1team:web");
  layOut({ room: 200, item: 50 });
  act(observed.resize);
  expect(shown()).toBe("env:prodsite:frateam:web");
});

it("shows at once as many as fitted the last time", () => {
  layOut({ room: 90, item: 50 });
  render(line(["env:prod", "site:ams"]));
  act(observed.resize);
  cleanup();
  render(line(["env:prod", "site:ams"]));
  expect(shown()).toBe("env:prod+1site:ams");
});
