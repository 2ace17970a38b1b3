import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { ReorderList } from "./reorder-list.tsx";
import { moveItem } from "./reorder.ts";

vi.setConfig({ testTimeout: 30_000 });

const moves: [number, number][] = [];
beforeEach(() => void (moves.length = 0));

function Letters() {
  const [items, setItems] = useState(["a", "b", "c"]);
  return (
    <ReorderList
      label="Letters"
      items={items}
      keyOf={(item) => item}
      nameOf={(item) => item}
      onMove={(from, to) => {
        moves.push([from, to]);
        setItems(moveItem(items, from, to));
      }}
    >
      {(item) => <span>{item}</span>}
    </ReorderList>
  );
}

const order = () => [...document.querySelectorAll("li span")].map(({ textContent }) => textContent).join("");
const handle = (item: string) => screen.getByRole("button", { name: `Move ${item}` });

it("picks up with Space, moves with arrow keys and drops with Space, with announcements [S3.6]", async () => {
  render(<Letters />);
  const user = userEvent.setup();
  handle("a").focus();
  await user.keyboard(" ");
  expect(screen.getByText("a picked up, position 1 of 3.")).toBeDefined();
  expect(handle("a").getAttribute("aria-pressed")).toBe("true");
  await user.keyboard("{ArrowDown}");
  expect(screen.getByText("a: position 2 of 3.")).toBeDefined();
  expect(order()).toBe("bac");
  expect(moves).toEqual([]);
  await user.keyboard(" ");
  expect(screen.getByText("a dropped, position 2 of 3.")).toBeDefined();
  expect(moves).toEqual([[0, 1]]);
  expect(document.activeElement).toBe(handle("a"));
});

it("moves to either end, but no further", async () => {
  render(<Letters />);
  const user = userEvent.setup();
  handle("b").focus();
  await user.keyboard("{Enter}{End}{ArrowDown}{Enter}");
  expect(order()).toBe("acb");
  await user.keyboard(" {Home}{ArrowUp} ");
  expect(order()).toBe("bac");
});

it("cancels on Escape and on blur", async () => {
  render(<Letters />);
  const user = userEvent.setup();
  handle("c").focus();
  await user.keyboard(" {ArrowUp}{Escape}");
  expect(screen.getByText("c returned to position 3 of 3.")).toBeDefined();
  expect(order()).toBe("abc");
  await user.keyboard(" {Home}");
  expect(order()).toBe("cab");
  await user.tab();
  expect(order()).toBe("abc");
  expect(moves).toEqual([]);
});

it("ignores arrow keys while nothing is picked up", async () => {
  render(<Letters />);
  handle("a").focus();
  await userEvent.setup().keyboard("{ArrowDown}{End}");
  expect(order()).toBe("abc");
});

const ROW_PX = 40;

/** Rows as a browser would lay them out, one under the other. */
function layOut() {
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    const place = [...(this.parentElement?.children ?? [])].indexOf(this);
    return new DOMRect(0, place * ROW_PX, 200, ROW_PX);
  });
}

it("follows the pointer, drops on release and cancels on Escape", () => {
  layOut();
  render(<Letters />);
  fireEvent.pointerDown(handle("a"), { button: 0, isPrimary: true, clientY: 20 });
  fireEvent.pointerMove(window, { clientY: 2 * ROW_PX + 30 });
  expect(order()).toBe("bca");
  fireEvent.pointerUp(window, { clientY: 2 * ROW_PX + 30 });
  expect(moves).toEqual([[0, 2]]);
  fireEvent.pointerDown(handle("a"), { button: 0, isPrimary: true, clientY: 100 });
  fireEvent.pointerMove(window, { clientY: 5 });
  expect(order()).toBe("abc");
  fireEvent.keyDown(window, { key: "Escape" });
  expect(order()).toBe("bca");
  expect(moves).toHaveLength(1);
  vi.restoreAllMocks();
});
