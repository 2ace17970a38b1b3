import { render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
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

afterEach(() => vi.restoreAllMocks());

const everythingIs = (width: number) =>
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(width);

it("shows those that fit, and says the others by number, by name and in the tooltip", () => {
  everythingIs(50);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(140);
  render(
    <FittingLine texts={["env:prod", "site:fra", "team:web", "tier:db"]}>
      {(text) => <b>{text}</b>}
    </FittingLine>,
  );
  expect(screen.getByText(/^\+2/).textContent).toBe("+2 more: team:web, tier:db");
  expect(screen.getByTitle("env:prod, site:fra, team:web, tier:db")).toBeDefined();
});

it("counts anew when there are others to show", () => {
  everythingIs(50);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(140);
  const line = (texts: string[]) => <FittingLine texts={texts}>{(text) => <b>{text}</b>}</FittingLine>;
  const { rerender } = render(line(["env:prod"]));
  expect(screen.queryByText(/^\+/)).toBeNull();
  rerender(line(["env:prod", "site:fra", "team:web"]));
  expect(screen.getByText(/^\+1/).textContent).toBe("+1 more: team:web");
});
