/** The map on a canvas. Panning and zooming draw it again without rendering the page. */
import { createCanvasPainters } from "./canvas-painter.ts";
import { drawMap, type Highlights, type MapScene } from "./draw-map.ts";
import { contains, withMargin, type Point } from "./geometry.ts";
import { MapCamera, type CameraPosition, type MoveState } from "./map-camera.ts";
import { readMapColors, readMapFonts } from "./map-colors.ts";

/** At this scale, the names of hosts are readable. */
const NAMES_SCALE_MIN = 5;
/** Below this scale, the names of groups are larger than their hosts would be. */
const NAME_SCALE_BELOW = 0.8;
const NAME_SCALE_MAX = 2.2;
/** How far from a host a click still selects it, in pixels of the screen. */
const TOLERANCE = 9;

export interface MapViewEvents {
  onMove: (position: CameraPosition, state: MoveState) => void;
  /** `tolerance` in units of the layout. */
  onClick: (point: Point, tolerance: number) => void;
  /** Undefined when the pointer has left the map. */
  onPoint: (point: Point | undefined, tolerance: number) => void;
}

export class MapView {
  readonly camera: MapCamera;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #createPainter = createCanvasPainters();
  readonly #stopped = new AbortController();
  #colors: ReturnType<typeof readMapColors>;
  #scene: MapScene | undefined;
  #highlights: Highlights = {};
  #frame: number | undefined;

  constructor(canvas: HTMLCanvasElement, events: MapViewEvents) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.#colors = readMapColors(canvas.parentElement ?? canvas);
    this.camera = new MapCamera(canvas, (state) => {
      events.onMove(this.camera.position, state);
      this.#schedule();
    });
    this.#listen(events);
    this.#resize();
  }

  setScene(scene: MapScene): void {
    this.#scene = scene;
    this.camera.setBounds(scene.layout.bounds);
    this.#schedule();
  }

  setHighlights(highlights: Highlights): void {
    this.#highlights = highlights;
    this.#schedule();
  }

  stop(): void {
    this.#stopped.abort();
    this.camera.stop();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  #listen({ onClick, onPoint }: MapViewEvents): void {
    const [canvas, { signal }] = [this.#canvas, this.#stopped];
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(canvas);
    signal.addEventListener("abort", () => observer.disconnect());
    const tolerance = () => TOLERANCE / this.camera.transform.k;
    const at = ({ offsetX, offsetY }: MouseEvent) => this.camera.toLayout(offsetX, offsetY);
    canvas.addEventListener("click", (event) => onClick(at(event), tolerance()), { signal });
    canvas.addEventListener(
      "pointermove",
      // While the map is dragged, the pointer stays at the same place of the map.
      (event) => event.buttons === 0 && onPoint(at(event), tolerance()),
      { signal },
    );
    canvas.addEventListener("pointerleave", () => onPoint(undefined, tolerance()), { signal });
    const restyle = () => {
      this.#colors = readMapColors(canvas.parentElement ?? canvas);
      this.#schedule();
    };
    window.matchMedia?.("(prefers-color-scheme: light)").addEventListener("change", restyle, { signal });
    // What was drawn before the fonts were loaded is drawn again.
    void document.fonts?.ready.then(() => signal.aborted || restyle());
  }

  #resize(): void {
    const canvas = this.#canvas;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.camera.resize(width, height);
    this.#schedule();
  }

  #schedule(): void {
    this.#frame ??= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#frame = undefined;
    const [canvas, context, { transform, visibleBox }] = [this.#canvas, this.#context, this.camera];
    if (!context || !this.#scene) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    const painter = this.#createPainter({
      context,
      colors: this.#colors,
      fonts: readMapFonts(canvas),
      transform,
      ratio: window.devicePixelRatio || 1,
    });
    const visible = withMargin(visibleBox, 20);
    drawMap(painter, this.#colors, this.#scene, {
      ...this.#highlights,
      nameScale: Math.min(NAME_SCALE_MAX, Math.max(1, NAME_SCALE_BELOW / transform.k)),
      withNames: transform.k >= NAMES_SCALE_MIN,
      isVisible: (point) => contains(visible, point),
    });
    canvas.dataset.drawn = "true";
  }
}
