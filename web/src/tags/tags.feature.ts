import type { Feature } from "../lib/feature.ts";
import { TAG_ADD_PATH, TAG_REORDER_PATH, TAGS_PATH } from "../references/tag-link.tsx";
import { TagIcon } from "../ui/base/icons.tsx";

export const tags: Feature = {
  pages: [
    {
      path: TAGS_PATH,
      load: () => import("./tags-page.tsx").then((module) => module.TagsPage),
      sidebar: { label: "Tags", icon: TagIcon, goKey: "t", adds: "tag" },
    },
    {
      path: TAG_ADD_PATH,
      access: "writer",
      load: () => import("./tag-add-page.tsx").then((module) => module.TagAddPage),
    },
    {
      path: TAG_REORDER_PATH,
      access: "writer",
      load: () => import("./tag-reorder-page.tsx").then((module) => module.TagReorderPage),
    },
    {
      path: `${TAGS_PATH}/:tagName`,
      load: () => import("./tag-edit-page.tsx").then((module) => module.TagEditPage),
    },
  ],
};
