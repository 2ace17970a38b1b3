import type { Feature, FeaturePage, PageAccess } from "../lib/feature.ts";

type Load = Extract<FeaturePage, { load: unknown }>["load"];

const page = (path: string, load: Load, access?: PageAccess): FeaturePage => ({
  path,
  load,
  handle: { centered: true },
  ...(access && { access }),
});

export const auth: Feature = {
  publicPages: [
    page("/auth/login", () => import("./login-page.tsx").then((module) => module.LoginPage)),
    page("/auth/login/:orgID", () => import("./sso-login-page.tsx").then((module) => module.SsoLoginPage)),
    page("/auth/oidc-callback", () =>
      import("./oidc-callback-page.tsx").then((module) => module.OidcCallbackPage),
    ),
    page("/auth/invitation", () => import("./invitation-page.tsx").then((module) => module.InvitationPage)),
    page("/auth/magic-link", () => import("./magic-link-page.tsx").then((module) => module.MagicLinkPage)),
    page("/auth/mfa", () => import("./mfa-page.tsx").then((module) => module.MfaPage), "userToken"),
    page(
      "/auth/mfa/register",
      () => import("./mfa-register-page.tsx").then((module) => module.MfaRegisterPage),
      "userToken",
    ),
    page(
      "/auth/mfa/renew",
      () => import("./mfa-renew-page.tsx").then((module) => module.MfaRenewPage),
      "userToken",
    ),
    page("/endpoint-auth/login", () =>
      import("./device-login-page.tsx").then((module) => module.DeviceLoginPage),
    ),
    { path: "/auth/*", redirectTo: "/auth/login" },
    page("/signup/*", () => import("./signup-page.tsx").then((module) => module.SignupPage)),
    page("/deleted-account", () =>
      import("./deleted-account-page.tsx").then((module) => module.DeletedAccountPage),
    ),
    page("/left-organization", () =>
      import("./left-organization-page.tsx").then((module) => module.LeftOrganizationPage),
    ),
  ],
};
