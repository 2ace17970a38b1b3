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
    page("/auth/login", async () => (await import("./login-page.tsx")).LoginPage),
    page("/auth/login/:orgID", async () => (await import("./sso-login-page.tsx")).SsoLoginPage),
    page("/auth/oidc-callback", async () => (await import("./oidc-callback-page.tsx")).OidcCallbackPage),
    page("/auth/invitation", async () => (await import("./invitation-page.tsx")).InvitationPage),
    page("/auth/magic-link", async () => (await import("./magic-link-page.tsx")).MagicLinkPage),
    page("/auth/mfa", async () => (await import("./mfa-page.tsx")).MfaPage, "userToken"),
    page(
      "/auth/mfa/register",
      async () => (await import("./mfa-register-page.tsx")).MfaRegisterPage,
      "userToken",
    ),
    page("/auth/mfa/renew", async () => (await import("./mfa-renew-page.tsx")).MfaRenewPage, "userToken"),
    page("/endpoint-auth/login", async () => (await import("./device-login-page.tsx")).DeviceLoginPage),
    { path: "/auth/*", redirectTo: "/auth/login" },
    page("/signup/*", async () => (await import("./signup-page.tsx")).SignupPage),
    page("/deleted-account", async () => (await import("./deleted-account-page.tsx")).DeletedAccountPage),
    page(
      "/left-organization",
      async () => (await import("./left-organization-page.tsx")).LeftOrganizationPage,
    ),
  ],
};
