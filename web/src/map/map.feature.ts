import type { Feature } from "../lib/feature.ts";
import { MAP_PATH } from "../references/map-path.ts";

export const map: Feature = {
  pages: [{ path: MAP_PATH, load: () => import("./map-page.tsx").then((module) => module.MapPage) }],
};
