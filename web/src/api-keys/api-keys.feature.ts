import type { Feature } from "../lib/feature.ts";

export const apiKeys: Feature = {
  pages: [
    {
      path: "/settings/api-keys",
      load: () => import("./api-keys-page.tsx").then((module) => module.ApiKeysPage),
      sidebar: { section: "settings", label: "API keys", goKey: "k", adds: "API key" },
    },
    {
      path: "/settings/api-keys/add",
      access: "writer",
      load: () => import("./api-key-add-page.tsx").then((module) => module.ApiKeyAddPage),
    },
    {
      path: "/settings/api-keys/:apiKeyID",
      load: () => import("./api-key-edit-page.tsx").then((module) => module.ApiKeyEditPage),
      children: [
        {
          path: "rotate",
          access: "dialogWriter",
          load: () => import("./rotate-api-key-dialog.tsx").then((module) => module.RotateApiKeyDialog),
        },
        {
          path: "delete",
          access: "dialogWriter",
          load: () => import("./delete-api-key-dialog.tsx").then((module) => module.DeleteApiKeyDialog),
        },
      ],
    },
  ],
};
