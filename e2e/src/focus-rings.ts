/** Checks that the focus ring of the focused element is completely visible. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

interface Ring {
  /** A description of the focused element. */
  what: string;
  /** The ancestors that clip the ring, each with the sides. */
  clippedBy: string[];
}

interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** An ancestor of an element with a ring. */
interface Ancestor {
  what: string;
  position: string;
  /** Whether absolute descendants are positioned by it. */
  isContainer: boolean;
  clipsX: boolean;
  clipsY: boolean;
  clipMargin: number;
  /** Its box without the border. */
  inner: Edges;
}

interface RingLayout {
  what: string;
  position: string;
  edges: Edges;
  /** From the parent on. */
  ancestors: Ancestor[];
  windowWidth: number;
}

/** Differences up to half a pixel are rounding. */
const TOLERANCE_PX = 0.5;

/** Runs in the browser. Returns "seen" if the element had the focus before, and undefined if there is no ring. */
function findRingedElement(): Element | "seen" | undefined {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return undefined;
  const state = window as unknown as { focusedElements?: WeakSet<Element> };
  state.focusedElements ??= new WeakSet();
  if (state.focusedElements.has(focused)) return "seen";
  state.focusedElements.add(focused);
  // A field may draw the ring of its input, and a label that of its radio button.
  const around = [focused, focused.parentElement, focused.closest("label")];
  return around
    .flatMap((element) => element ?? [])
    .find((element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== "none" && outlineWidth !== "0px";
    });
}

/** Runs in the browser. */
function readLayout(ringed: Element): RingLayout {
  const describe = (element: Element) => {
    const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40) ?? "";
    return `${element.tagName.toLowerCase()}.${element.classList[0] ?? ""} "${name}"`;
  };
  const ancestors: Ancestor[] = [];
  for (let at = ringed.parentElement; at && at !== document.documentElement; at = at.parentElement) {
    const { position, transform, overflowX, overflowY, overflowClipMargin } = getComputedStyle(at);
    const box = at.getBoundingClientRect();
    const [left, top] = [box.left + at.clientLeft, box.top + at.clientTop];
    ancestors.push({
      what: describe(at),
      position,
      isContainer: position !== "static" || transform !== "none",
      clipsX: overflowX !== "visible",
      clipsY: overflowY !== "visible",
      clipMargin: overflowX === "clip" ? Number.parseFloat(overflowClipMargin) || 0 : 0,
      inner: { left, top, right: left + at.clientWidth, bottom: top + at.clientHeight },
    });
  }
  const { position, outlineWidth, outlineOffset } = getComputedStyle(ringed);
  const reach = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
  const { left, top, right, bottom } = ringed.getBoundingClientRect();
  return {
    what: describe(ringed),
    position,
    edges: { left: left - reach, top: top - reach, right: right + reach, bottom: bottom + reach },
    ancestors,
    windowWidth: document.documentElement.clientWidth,
  };
}

function clippedSides(ring: Edges, { clipsX, clipsY, clipMargin, inner }: Ancestor): string[] {
  const margin = clipMargin + TOLERANCE_PX;
  return [
    ...(clipsX && ring.left < inner.left - margin ? ["left"] : []),
    ...(clipsX && ring.right > inner.right + margin ? ["right"] : []),
    ...(clipsY && ring.top < inner.top - margin ? ["top"] : []),
    ...(clipsY && ring.bottom > inner.bottom + margin ? ["bottom"] : []),
  ];
}

function findClipping({ position, edges, ancestors, windowWidth }: RingLayout): string[] {
  const clippedBy: string[] = [];
  let innerPosition = position;
  for (const ancestor of ancestors) {
    // Ancestors don't clip fixed elements, and clip absolute ones only from the containing block on.
    if (innerPosition === "fixed") break;
    if (innerPosition === "absolute" && !ancestor.isContainer) continue;
    innerPosition = ancestor.position;
    const sides = clippedSides(edges, ancestor);
    if (sides.length > 0) clippedBy.push(`${ancestor.what.slice(0, 60)}: ${sides.join(", ")}`);
  }
  // The window clips too.
  const sides = [
    ...(edges.left < -TOLERANCE_PX ? ["left"] : []),
    ...(edges.right > windowWidth + TOLERANCE_PX ? ["right"] : []),
  ];
  if (sides.length > 0) clippedBy.push(`the window: ${sides.join(", ")}`);
  return clippedBy;
}

/** Both functions in one call, because every call of the browser takes a few milliseconds. */
const READ_RING = `(() => {
  const found = (${findRingedElement.toString()})();
  return found instanceof Element ? (${readLayout.toString()})(found) : found;
})()`;

/** Returns "seen" if the element had the focus before, and undefined if no element has it or it has no ring. */
async function readRing(page: Page): Promise<Ring | "seen" | undefined> {
  const layout = await page.evaluate<RingLayout | "seen" | undefined>(READ_RING);
  if (layout === "seen" || layout === undefined) return layout;
  return { what: layout.what, clippedBy: findClipping(layout) };
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
