import { Card } from "../ui/card.tsx";

const guides = [
  {
    name: "Google Workspace",
    issuer: "https://accounts.google.com",
    steps:
      "In the Google Cloud console, under “APIs & Services”, create an OAuth client of type “Web application” and add the redirect URL. Always name your domains here: Google signs in everybody.",
  },
  {
    name: "Microsoft Entra ID",
    issuer: "https://login.microsoftonline.com/{tenant ID}/v2.0",
    steps:
      "Register an application with the redirect URL for the platform “Web”, create a client secret, and add the optional claim “email” to its ID token.",
  },
  {
    name: "Keycloak and Okta",
    issuer: "https://sso.example.com/realms/{realm} or https://{your domain}.okta.com",
    steps:
      "Create an OpenID Connect client for a web application, with a client secret, the authorization code flow and the redirect URL. To let a group in, map it to a claim such as “groups”.",
  },
] as const;

export function ProviderGuides() {
  return (
    <Card title="How to set up your provider">
      {guides.map(({ name, issuer, steps }) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <p>
            Issuer: <code>{issuer}</code>
          </p>
          <p>{steps}</p>
        </section>
      ))}
    </Card>
  );
}
