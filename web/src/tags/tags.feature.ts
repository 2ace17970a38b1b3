import type { Feature } from "../lib/feature.ts";
import { TAG_ADD_PATH, TAG_REORDER_PATH, TAGS_PATH } from "../references/tag-link.tsx";
import { TagIcon } from "../ui/base/icons.tsx";

export const tags: Feature = {
  pages: [
    {
      path: TAGS_PATH,
      load: async () => (await import("./tags-page.tsx")).TagsPage,
      sidebar: { label: "Tags", icon: TagIcon, goKey: "t", adds: "tag" },
    },
    {
      path: TAG_ADD_PATH,
      access: "writer",
      load: async () => (await import("./tag-add-page.tsx")).TagAddPage,
    },
    {
      path: TAG_REORDER_PATH,
      access: "writer",
      load: async () => (await import("./tag-reorder-page.tsx")).TagReorderPage,
    },
    {
      path: `${TAGS_PATH}/:tagName`,
      load: async () => (await import("./tag-edit-page.tsx")).TagEditPage,
    },
  ],
};
