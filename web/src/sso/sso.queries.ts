import { getOidcProvider, listDeviceRequests, listDomains } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const oidcProviderQuery = read(getOidcProvider);
export const domainsQuery = read(listDomains);
export const deviceRequestsQuery = read(listDeviceRequests);

export const SSO_PATH = "/settings/sso";
export const SSO_EDIT_PATH = "/settings/sso/edit";
export const ssoCrumbs = [{ label: "Single sign-on", to: SSO_PATH }];
