/** The minimal configuration of a server that is not local. */
export const PRODUCTION = {
  APP_ENV: "production",
  APP_URL: "https://console.example.com",
  SMTP_URL: "smtp://localhost",
  SUPPORT_EMAIL: "help@example.com",
};
