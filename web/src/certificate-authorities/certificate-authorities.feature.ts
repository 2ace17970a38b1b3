import type { Feature } from "../lib/feature.ts";
import { CertificateIcon } from "../ui/base/icons.tsx";
import { CAS_PATH } from "./ca-paths.ts";

export const certificateAuthorities: Feature = {
  pages: [
    {
      path: CAS_PATH,
      access: { flag: "LIST_CERT_AUTHORITIES" },
      load: async () => (await import("./certificate-authorities-page.tsx")).CertificateAuthoritiesPage,
      sidebar: { label: "Certificate Authorities", icon: CertificateIcon, goKey: "c" },
      children: [
        {
          path: ":networkID/rotate",
          access: "dialogWriter",
          load: async () => (await import("./rotate-ca-dialog.tsx")).RotateCaDialog,
        },
      ],
    },
  ],
};
