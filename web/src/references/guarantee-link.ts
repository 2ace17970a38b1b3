export const GUARANTEES_PATH = "/guarantees";
export const GUARANTEE_ADD_PATH = "/guarantees/add";
export const guaranteePath = (id: string) => `${GUARANTEES_PATH}/${encodeURIComponent(id)}/edit`;

/** The breadcrumbs of a guarantee's pages. */
export const guaranteeCrumbs = [{ label: "Guarantees", to: GUARANTEES_PATH }];
