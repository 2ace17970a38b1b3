import type { Feature } from "../lib/feature.ts";

export const apiKeys: Feature = {
  pages: [
    {
      path: "/settings/api-keys",
      load: async () => (await import("./api-keys-page.tsx")).ApiKeysPage,
      sidebar: { section: "settings", label: "API keys", goKey: "k", adds: "API key" },
    },
    {
      path: "/settings/api-keys/add",
      access: "writer",
      load: async () => (await import("./api-key-add-page.tsx")).ApiKeyAddPage,
    },
    {
      path: "/settings/api-keys/:apiKeyID",
      load: async () => (await import("./api-key-edit-page.tsx")).ApiKeyEditPage,
      children: [
        {
          path: "rotate",
          access: "dialogWriter",
          load: async () => (await import("./rotate-api-key-dialog.tsx")).RotateApiKeyDialog,
        },
        {
          path: "delete",
          access: "dialogWriter",
          load: async () => (await import("./delete-api-key-dialog.tsx")).DeleteApiKeyDialog,
        },
      ],
    },
  ],
};
