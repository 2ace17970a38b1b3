import { Fragment } from "react";
import { Card } from "../ui/pages/card.tsx";
import styles from "./sso.module.css";

const guides = [
  {
    name: "Google Workspace",
    issuers: ["https://accounts.google.com"],
    steps:
      "In the Google Cloud console, under “APIs & Services”, create an OAuth client of type “Web application” and add the redirect URL. Always enter your domains here, because Google signs in any Google account.",
  },
  {
    name: "Microsoft Entra ID",
    issuers: ["https://login.microsoftonline.com/{tenant ID}/v2.0"],
    steps:
      "Register an application with the redirect URL for the platform “Web”, create a client secret, and add the optional claim “email” to its ID token. Entra ID doesn’t send email_verified, so trust its email addresses.",
  },
  {
    name: "Keycloak and Okta",
    issuers: ["https://sso.example.com/realms/{realm}", "https://{your domain}.okta.com"],
    steps:
      "Create an OpenID Connect client for a web application, with a client secret, the authorization code flow and the redirect URL. To allow only a group, map it to a claim such as “groups”.",
  },
] as const;

export function ProviderGuides() {
  return (
    <Card title="How to set up your provider" padded={false}>
      {guides.map(({ name, issuers, steps }) => (
        <section key={name} aria-label={name} className={styles.guide}>
          <h3 className={styles.provider}>{name}</h3>
          <p className={styles.issuer}>
            Issuer:{" "}
            {issuers.map((issuer, index) => (
              <Fragment key={issuer}>
                {index > 0 && " or "}
                <code>{issuer}</code>
              </Fragment>
            ))}
          </p>
          <p className={styles.steps}>{steps}</p>
        </section>
      ))}
    </Card>
  );
}
