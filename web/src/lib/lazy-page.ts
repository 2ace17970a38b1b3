import type { ComponentType } from "react";

/** Loads a page's component when its address is opened. */
export const lazyPage = (load: () => Promise<ComponentType>) => async () => ({ Component: await load() });
