/** Checks that the focus ring of the focused element is completely visible. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

interface Ring {
  /** A description of the focused element. */
  what: string;
  /** The ancestors that clip the ring, each with the sides. */
  clippedBy: string[];
}

/** Returns "seen" if the element had the focus before, and undefined if no element has it or it has no ring. */
async function readRing(page: Page): Promise<Ring | "seen" | undefined> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return undefined;
    const state = window as unknown as { focusedElements?: WeakSet<Element> };
    state.focusedElements ??= new WeakSet();
    if (state.focusedElements.has(focused)) return "seen";
    state.focusedElements.add(focused);
    const describe = (element: Element) => {
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40) ?? "";
      return `${element.tagName.toLowerCase()}.${element.classList[0] ?? ""} "${name}"`;
    };
    const hasOutline = (element: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== "none" && outlineWidth !== "0px";
    };
    // A field may draw the ring of its input, and a label that of its radio button.
    const around = [focused, focused.parentElement, focused.closest("label")];
    const ringed = around.find((element) => element !== null && hasOutline(element));
    if (!ringed) return undefined;
    const style = getComputedStyle(ringed);
    const reach = Number.parseFloat(style.outlineWidth) + Number.parseFloat(style.outlineOffset);
    const box = ringed.getBoundingClientRect();
    const ring = {
      left: box.left - reach,
      top: box.top - reach,
      right: box.right + reach,
      bottom: box.bottom + reach,
    };

    const clippedBy: string[] = [];
    let position = style.position;
    for (let at = ringed.parentElement; at && at !== document.documentElement; at = at.parentElement) {
      const parent = getComputedStyle(at);
      // Ancestors don't clip fixed elements, and clip absolute ones only from the containing block on.
      if (position === "fixed") break;
      const isContainer = parent.position !== "static" || parent.transform !== "none";
      if (position === "absolute" && !isContainer) continue;
      position = parent.position;
      const clips = (overflow: string) => overflow !== "visible";
      if (!clips(parent.overflowX) && !clips(parent.overflowY)) continue;
      const frame = at.getBoundingClientRect();
      const inner = {
        left: frame.left + at.clientLeft,
        top: frame.top + at.clientTop,
        right: frame.left + at.clientLeft + at.clientWidth,
        bottom: frame.top + at.clientTop + at.clientHeight,
      };
      const margin = parent.overflowX === "clip" ? Number.parseFloat(parent.overflowClipMargin) || 0 : 0;
      const sides: string[] = [];
      // Half a pixel is rounding.
      if (clips(parent.overflowX)) {
        if (ring.left < inner.left - margin - 0.5) sides.push("left");
        if (ring.right > inner.right + margin + 0.5) sides.push("right");
      }
      if (clips(parent.overflowY)) {
        if (ring.top < inner.top - margin - 0.5) sides.push("top");
        if (ring.bottom > inner.bottom + margin + 0.5) sides.push("bottom");
      }
      if (sides.length > 0) clippedBy.push(`${describe(at).slice(0, 60)}: ${sides.join(", ")}`);
    }
    // The window clips too.
    const sides = [
      ...(ring.left < -0.5 ? ["left"] : []),
      ...(ring.right > document.documentElement.clientWidth + 0.5 ? ["right"] : []),
    ];
    if (sides.length > 0) clippedBy.push(`the window: ${sides.join(", ")}`);
    return { what: describe(ringed), clippedBy };
  });
}

/** Presses Tab through the page or its dialog, and expects each focus ring to be completely visible. */
export async function expectWholeRings(page: Page, what: string, { times = 120 } = {}): Promise<void> {
  const clipped = new Map<string, string[]>();
  let count = 0;
  for (let pressed = 0; pressed < times; pressed++) {
    await page.keyboard.press("Tab");
    const ring = await readRing(page);
    // Tab has reached all elements.
    if (ring === "seen") break;
    if (!ring) continue;
    count += 1;
    if (ring.clippedBy.length > 0) clipped.set(ring.what, ring.clippedBy);
  }
  expect(count, `elements with a focus ring on ${what}`).toBeGreaterThan(0);
  expect(Object.fromEntries(clipped), `clipped focus rings on ${what}`).toEqual({});
}
