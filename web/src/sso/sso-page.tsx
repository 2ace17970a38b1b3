import {
  approveDeviceRequest,
  updateOidcProvider,
  type OidcClaim,
  type OidcProvider,
} from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { formatCount } from "../lib/format.ts";
import { Loaded } from "../lib/loaded.tsx";
import { canCall } from "../lib/permissions.ts";
import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { Card } from "../ui/pages/card.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Cards } from "../ui/pages/form-page.tsx";
import { CopyableKeyValue, KeyValue, KeyValueList } from "../ui/text/key-value.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { DeviceRequestsCard } from "./device-requests-card.tsx";
import { DomainsCard } from "./domains-card.tsx";
import { ProviderGuides } from "./provider-guides.tsx";
import { ssoRoleLabels } from "./sso-role-labels.ts";
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
  const canEdit = canCall(person, updateOidcProvider);
  const edit = canEdit && (
    <LinkButton to={SSO_EDIT_PATH} variant="primary">
      {provider ? "Edit" : "Set up single sign-on"}
    </LinkButton>
  );
  return (
    <PageContent kind="settings">
      <PageHeader
        title={TITLE}
        lead="Let people sign in with your identity provider (OpenID Connect)."
        actions={provider && edit}
      />
      <Cards>
        {!canEdit && <Notice tone="info">Only owners who log in by email can change these settings.</Notice>}
        {provider?.trustsEmails && (
          <Notice tone="warn">
            Email addresses from this provider are accepted without email_verified. Edit the provider and test
            a sign-in. If the provider sends email_verified, stop trusting its addresses.
          </Notice>
        )}
        <DeviceRequestsCard
          isRequired={provider?.endpoint?.requiresApproval === true}
          canDecide={canCall(person, approveDeviceRequest)}
        />
        <ProviderURLs organizationID={person.organization.id} />
        {provider ? (
          <Settings provider={provider} />
        ) : (
          <Card>
            <EmptyState title="Single sign-on isn’t set up" action={edit}>
              Owners can always log in by email, even if the provider is unavailable.
            </EmptyState>
          </Card>
        )}
        <DomainsCard canEdit={canEdit} />
        <ProviderGuides />
      </Cards>
    </PageContent>
  );
}

/** Shown before a provider is set up, because the provider needs the redirect URL. */
function ProviderURLs({ organizationID }: { organizationID: string }) {
  const redirectURL = `${location.origin}/auth/oidc-callback`;
  const loginURL = `${location.origin}/auth/login/${organizationID}`;
  return (
    <Card title="URLs" padded={false}>
      <KeyValueList>
        <CopyableKeyValue label="Redirect URL" value={redirectURL} />
        <CopyableKeyValue label="Login URL" value={loginURL} />
      </KeyValueList>
    </Card>
  );
}

const formatClaim = (claim: OidcClaim | null) => (claim ? `${claim.name} is ${claim.value}` : "None");

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
        <KeyValue label="Domains">{allowedDomains.join(", ") || "Any"}</KeyValue>
        <KeyValue label="Required claim">{formatClaim(requiredClaim)}</KeyValue>
        <KeyValue label="Default role">{ssoRoleLabels[defaultRole].label}</KeyValue>
        <KeyValue label="Auditor claim">{formatClaim(auditorClaim)}</KeyValue>
        <KeyValue label="Email addresses">
          {trustsEmails ? "Trusted without email_verified" : "Must be verified by the provider"}
        </KeyValue>
        <KeyValue label="Devices">
          {endpoint
            ? `Can enroll for ${formatCount(endpoint.validDays, "day")}${endpoint.requiresApproval ? ", after approval" : ""}`
            : "Can’t enroll"}
        </KeyValue>
      </KeyValueList>
    </Card>
  );
}
