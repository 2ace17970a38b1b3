import type { Feature } from "../lib/feature.ts";
import { RULES_TO_REVIEW_PATH } from "../references/access-paths.ts";

export const lint: Feature = {
  pages: [
    {
      path: RULES_TO_REVIEW_PATH,
      load: () => import("./rules-to-review-page.tsx").then((module) => module.RulesToReviewPage),
    },
  ],
};
