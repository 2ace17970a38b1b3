export const STRIPE_ENVIRONMENT = {
  STRIPE_SECRET_KEY: "sk_test_double",
  STRIPE_WEBHOOK_SECRET: "whsec_double",
  STRIPE_PRICE_ID: "price_host",
};
