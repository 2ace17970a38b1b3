/** The least that a server outside `local` needs to be configured. */
export const PRODUCTION = {
  APP_ENV: "production",
  APP_URL: "https://console.example.com",
  SMTP_URL: "smtp://localhost",
  SUPPORT_EMAIL: "help@example.com",
};
