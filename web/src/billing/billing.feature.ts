import type { Feature, PageAccess } from "../lib/feature.ts";
import { BILLING_PATH, CHECKOUT_PATH, UPGRADE_PENDING_PATH } from "./billing-paths.ts";

/** Others can see the plan, but not change it. */
const buyer: PageAccess = { ownerElse: BILLING_PATH };

export const billing: Feature = {
  pages: [
    {
      path: BILLING_PATH,
      load: async () => (await import("./billing-page.tsx")).BillingPage,
      sidebar: { section: "settings", label: "Billing", goKey: "b" },
      children: [
        {
          path: "upgrade-success",
          load: async () => (await import("./upgrade-success-dialog.tsx")).UpgradeSuccessDialog,
        },
        {
          path: "downgrade",
          load: async () => (await import("./downgrade-dialog.tsx")).DowngradeDialog,
        },
      ],
    },
    { path: `${BILLING_PATH}/rename-organization`, movedTo: "/settings/organization/rename" },
    { path: `${BILLING_PATH}/leave`, movedTo: "/settings/organization/leave" },
    { path: `${BILLING_PATH}/delete-organization`, movedTo: "/settings/organization/delete" },
    {
      path: CHECKOUT_PATH,
      access: buyer,
      load: async () => (await import("./checkout-page.tsx")).CheckoutPage,
    },
    {
      path: UPGRADE_PENDING_PATH,
      access: buyer,
      load: async () => (await import("./upgrade-pending-page.tsx")).UpgradePendingPage,
    },
  ],
  setupPages: [
    {
      path: "/signup/pro",
      access: buyer,
      handle: { centered: true },
      load: async () => (await import("./signup-checkout-page.tsx")).SignupCheckoutPage,
    },
  ],
};
