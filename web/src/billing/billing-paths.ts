export const BILLING_PATH = "/settings/billing";
export const CHECKOUT_PATH = `${BILLING_PATH}/checkout`;
export const UPGRADE_PENDING_PATH = `${BILLING_PATH}/upgrade-pending`;
export const UPGRADE_SUCCESS_PATH = `${BILLING_PATH}/upgrade-success`;
export const DOWNGRADE_PATH = `${BILLING_PATH}/downgrade`;
