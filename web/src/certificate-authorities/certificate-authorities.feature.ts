import type { Feature } from "../lib/feature.ts";
import { CertificateIcon } from "../ui/base/icons.tsx";
import { CAS_PATH } from "../references/ca-paths.ts";

export const certificateAuthorities: Feature = {
  pages: [
    {
      path: CAS_PATH,
      access: { flag: "LIST_CERT_AUTHORITIES" },
      load: () =>
        import("./certificate-authorities-page.tsx").then((module) => module.CertificateAuthoritiesPage),
      sidebar: { label: "Certificate Authorities", icon: CertificateIcon, goKey: "c" },
      children: [
        {
          path: ":networkID/rotate",
          access: "dialogWriter",
          load: () => import("./rotate-ca-dialog.tsx").then((module) => module.RotateCaDialog),
        },
      ],
    },
  ],
};
