import { getOidcProvider } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const oidcProviderQuery = read(getOidcProvider);

export const SSO_PATH = "/settings/sso";
export const SSO_EDIT_PATH = "/settings/sso/edit";
export const ssoCrumbs = [{ label: "Single sign-on", to: SSO_PATH }];
