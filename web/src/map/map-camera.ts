/** Which part of the layout the canvas shows. People pan and zoom with the pointer, a wheel or two fingers. */
import { select, type Selection } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior } from "d3-zoom";
import type { Transform } from "./canvas-painter.ts";
import { centerOf, withMargin, type Box, type Point } from "./geometry.ts";

const SCALE_MIN = 0.05;
const SCALE_MAX = 10;
const FIT_SCALE_MAX = 1.4;
const FIT_MARGIN = 24;
const CLICK_DISTANCE = 4;
const REVEAL_MARGIN = 48;

/** The point of the layout in the middle of the canvas, and the scale. */
export interface CameraPosition extends Point {
  readonly k: number;
}

export interface MoveState {
  isMoving: boolean;
  /** The whole map is shown. */
  isFitted: boolean;
}

type Zoomed = D3ZoomEvent<HTMLCanvasElement, unknown>;

export class MapCamera {
  transform: Transform = zoomIdentity;
  #isFitted = true;
  #size = { width: 0, height: 0 };
  #bounds: Box | undefined;
  readonly #behavior: ZoomBehavior<HTMLCanvasElement, unknown>;
  readonly #selection: Selection<HTMLCanvasElement, unknown, null, undefined>;

  /** `onMove` is called while the map moves, and once more when it stops. */
  constructor(canvas: HTMLCanvasElement, onMove: (state: MoveState) => void) {
    this.#behavior = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([SCALE_MIN, SCALE_MAX])
      .clickDistance(CLICK_DISTANCE)
      .extent(() => [
        [0, 0],
        [this.#size.width, this.#size.height],
      ])
      .on("zoom", ({ transform, sourceEvent }: Zoomed) => {
        this.transform = transform;
        // Changes by code have no event of a person.
        if (sourceEvent) this.#isFitted = false;
        onMove({ isMoving: true, isFitted: this.#isFitted });
      })
      .on("end", () => onMove({ isMoving: false, isFitted: this.#isFitted }));
    this.#selection = select(canvas).call(this.#behavior).on("dblclick.zoom", null);
  }

  get position(): CameraPosition {
    return { ...centerOf(this.visibleBox), k: this.transform.k };
  }

  get visibleBox(): Box {
    const { k } = this.transform;
    return { ...this.toLayout(0, 0), width: this.#size.width / k, height: this.#size.height / k };
  }

  toLayout(x: number, y: number): Point {
    const { x: left, y: top, k } = this.transform;
    return { x: (x - left) / k, y: (y - top) / k };
  }

  resize(width: number, height: number): void {
    const { position } = this;
    const hadSize = this.#size.width > 0;
    this.#size = { width, height };
    if (this.#isFitted) this.fit();
    else if (hadSize) this.moveTo(position);
  }

  setBounds(bounds: Box): void {
    const isFirst = this.#bounds === undefined;
    this.#bounds = bounds;
    if (isFirst && this.#isFitted) this.fit();
  }

  moveTo({ x, y, k }: CameraPosition): void {
    this.#isFitted = false;
    this.#transformTo({ x, y, k });
  }

  /** Shows the whole map. */
  fit(): void {
    this.#isFitted = true;
    if (!this.#bounds || this.#size.width === 0) return;
    const box = withMargin(this.#bounds, FIT_MARGIN);
    const fitting = Math.min(this.#size.width / box.width, this.#size.height / box.height);
    this.#transformTo({ ...centerOf(box), k: Math.max(SCALE_MIN, Math.min(FIT_SCALE_MAX, fitting)) });
  }

  zoomBy(factor: number): void {
    this.#isFitted = false;
    this.#behavior.scaleBy(this.#selection, factor);
  }

  /** Moves the map only as far as needed to show the point. */
  reveal({ x, y }: Point): void {
    const { k, x: left, y: top } = this.transform;
    const shift = (at: number, length: number) =>
      Math.max(0, REVEAL_MARGIN - at) - Math.max(0, at - (length - REVEAL_MARGIN));
    this.#panBy(shift(x * k + left, this.#size.width), shift(y * k + top, this.#size.height));
  }

  /** Moves the map so that the box is in the middle and all of it is shown, but not closer than it is or at 100%. */
  show(box: Box): void {
    const fitting = Math.min(this.#size.width / box.width, this.#size.height / box.height);
    this.moveTo({
      ...centerOf(box),
      k: Math.max(SCALE_MIN, Math.min(fitting, Math.max(1, this.transform.k))),
    });
  }

  /** Keeps what was at `before` at its place on the screen when the layout moves it to `after`. */
  follow(before: Point, after: Point): void {
    const { k } = this.transform;
    if (this.#isFitted) this.fit();
    else this.#panBy((before.x - after.x) * k, (before.y - after.y) * k);
  }

  stop(): void {
    this.#selection.on(".zoom", null);
  }

  #transformTo({ x, y, k }: CameraPosition): void {
    const { width, height } = this.#size;
    const target = zoomIdentity.translate(width / 2 - x * k, height / 2 - y * k).scale(k);
    this.#behavior.transform(this.#selection, target);
  }

  #panBy(x: number, y: number): void {
    if (x === 0 && y === 0) return;
    this.#isFitted = false;
    const { k, x: left, y: top } = this.transform;
    this.#behavior.transform(this.#selection, zoomIdentity.translate(left + x, top + y).scale(k));
  }
}
