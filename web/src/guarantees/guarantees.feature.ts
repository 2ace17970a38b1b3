import type { Feature } from "../lib/feature.ts";
import { GUARANTEE_ADD_PATH, GUARANTEES_PATH } from "../references/guarantee-link.ts";

export const guarantees: Feature = {
  pages: [
    {
      path: GUARANTEES_PATH,
      load: () => import("./guarantees-page.tsx").then((module) => module.GuaranteesPage),
    },
    {
      path: GUARANTEE_ADD_PATH,
      access: "writer",
      load: () => import("./guarantee-add-page.tsx").then((module) => module.GuaranteeAddPage),
    },
    {
      path: `${GUARANTEES_PATH}/:guaranteeID/edit`,
      load: () => import("./guarantee-edit-page.tsx").then((module) => module.GuaranteeEditPage),
    },
  ],
};
