import {
  approveDeviceRequest,
  updateOidcProvider,
  type OidcClaim,
  type OidcProvider,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { Loaded } from "../lib/loaded.tsx";
import { canCall } from "../lib/permissions.ts";
import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { DeviceRequestsCard } from "./device-requests-card.tsx";
import { DomainsCard } from "./domains-card.tsx";
import { ProviderGuides } from "./provider-guides.tsx";
import { ssoRoles } from "./sso-roles.ts";
import { oidcProviderQuery, SSO_EDIT_PATH } from "./sso.queries.ts";

const TITLE = "Single sign-on";

export function SsoPage() {
  usePageTitle(TITLE);
  const { data: person } = useCurrentUser();
  return (
    <Loaded query={useQuery(oidcProviderQuery)} title={TITLE} crumbs={[]}>
      {(provider) => person && <Overview provider={provider} person={person} />}
    </Loaded>
  );
}

function Overview({ provider, person }: { provider: OidcProvider | null; person: Person }) {
  const mayEdit = canCall(person, updateOidcProvider);
  const edit = mayEdit && (
    <LinkButton to={SSO_EDIT_PATH} variant="primary">
      {provider ? "Edit" : "Set up single sign-on"}
    </LinkButton>
  );
  return (
    <PageContent kind="settings">
      <PageHeader
        title={TITLE}
        lead="People sign in with your identity provider, by OpenID Connect."
        actions={provider && edit}
      />
      <Cards>
        {!mayEdit && <Notice tone="info">Only an owner who signs in by e-mail can change this.</Notice>}
        {provider?.trustsEmails && (
          <Notice tone="warn">
            Email addresses from this provider are accepted without email_verified. Edit the provider and try
            a sign-in: if the provider sends email_verified, stop trusting its addresses.
          </Notice>
        )}
        <DeviceRequestsCard
          isRequired={provider?.endpoint?.requiresApproval === true}
          mayDecide={canCall(person, approveDeviceRequest)}
        />
        <Addresses organizationID={person.organization.id} />
        {provider ? (
          <Settings provider={provider} />
        ) : (
          <Card>
            <EmptyState title="Single sign-on is not set up" action={edit}>
              Owners always keep their sign-in by e-mail, whatever becomes of the provider.
            </EmptyState>
          </Card>
        )}
        <DomainsCard mayEdit={mayEdit} />
        <ProviderGuides />
      </Cards>
    </PageContent>
  );
}

/** Known before anything is set up: the provider wants the first of them. */
function Addresses({ organizationID }: { organizationID: string }) {
  const redirectURL = `${location.origin}/auth/oidc-callback`;
  const loginURL = `${location.origin}/auth/login/${organizationID}`;
  return (
    <Card title="Addresses" padded={false}>
      <KeyValueList>
        <KeyValue label="Redirect URL" mono copy={redirectURL}>
          {redirectURL}
        </KeyValue>
        <KeyValue label="Sign-on URL" mono copy={loginURL}>
          {loginURL}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}

const claimWords = (claim: OidcClaim | null) => (claim ? `${claim.name} is ${claim.value}` : "none");

function Settings({ provider }: { provider: OidcProvider }) {
  const { name, issuerURL, clientID, allowedDomains, requiredClaim, auditorClaim, endpoint } = provider;
  const { defaultRole, trustsEmails } = provider;
  return (
    <Card title={name || "Provider"} padded={false}>
      <KeyValueList>
        <KeyValue label="Issuer URL" mono>
          {issuerURL}
        </KeyValue>
        <KeyValue label="Client ID" mono>
          {clientID}
        </KeyValue>
        <KeyValue label="Domains">{allowedDomains.join(", ") || "any"}</KeyValue>
        <KeyValue label="Required claim">{claimWords(requiredClaim)}</KeyValue>
        <KeyValue label="Default role">{ssoRoles[defaultRole].label}</KeyValue>
        <KeyValue label="Auditors">{claimWords(auditorClaim)}</KeyValue>
        <KeyValue label="Email addresses">
          {trustsEmails ? "trusted without email_verified" : "must be verified by the provider"}
        </KeyValue>
        <KeyValue label="Devices">
          {endpoint
            ? `enrolled by signing in, for ${endpoint.validDays} days${endpoint.requiresApproval ? ", after approval" : ""}`
            : "not enrolled by signing in"}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}
