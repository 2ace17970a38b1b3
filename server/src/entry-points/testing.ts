/** Test doubles of external systems, for end-to-end tests. */
export { type ProviderPerson, startProvider, type TestProvider } from "../testing/oidc-provider.ts";
