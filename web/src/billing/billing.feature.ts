import type { Feature, PageAccess } from "../lib/feature.ts";
import { BILLING_PATH, CHECKOUT_PATH, UPGRADE_PENDING_PATH } from "./billing-paths.ts";

/** Others can see the plan, but not change it. */
const buyer: PageAccess = { ownerElse: BILLING_PATH };

export const billing: Feature = {
  pages: [
    {
      path: BILLING_PATH,
      load: () => import("./billing-page.tsx").then((module) => module.BillingPage),
      sidebar: { section: "settings", label: "Billing", goKey: "b" },
      children: [
        {
          path: "upgrade-success",
          load: () => import("./upgrade-success-dialog.tsx").then((module) => module.UpgradeSuccessDialog),
        },
        {
          path: "downgrade",
          load: () => import("./downgrade-dialog.tsx").then((module) => module.DowngradeDialog),
        },
      ],
    },
    { path: `${BILLING_PATH}/rename-organization`, movedTo: "/settings/organization/rename" },
    { path: `${BILLING_PATH}/leave`, movedTo: "/settings/organization/leave" },
    { path: `${BILLING_PATH}/delete-organization`, movedTo: "/settings/organization/delete" },
    {
      path: CHECKOUT_PATH,
      access: buyer,
      load: () => import("./checkout-page.tsx").then((module) => module.CheckoutPage),
    },
    {
      path: UPGRADE_PENDING_PATH,
      access: buyer,
      load: () => import("./upgrade-pending-page.tsx").then((module) => module.UpgradePendingPage),
    },
  ],
  setupPages: [
    {
      path: "/signup/pro",
      access: buyer,
      handle: { centered: true },
      load: () => import("./signup-checkout-page.tsx").then((module) => module.SignupCheckoutPage),
    },
  ],
};
