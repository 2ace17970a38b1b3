export * from "./addresses.ts";
export * from "./certificate-v1.ts";
export {
  decodeCertificateV2,
  encodeCertificateV2,
  encodeFingerprintBytesV2,
  encodeSignedBytesV2,
  normalizeDetailsV2,
} from "./certificate-v2.ts";
export type { CertificateV2, DetailsV2 } from "./certificate-v2.ts";
export { renderConfig } from "./config.ts";
export type { ConfigInput, RenderedConfig } from "./config.ts";
export type { OmittedOverride, OverridingTag } from "./config-overrides.ts";
export { isStaticAddress } from "./config-peers.ts";
export type { ConfigHost, ConfigPeer } from "./config-peers.ts";
export type { OmittedRoute, SubscribedRoute } from "./config-routes.ts";
export * from "./curves.ts";
export * from "./firewall.ts";
export { FormatError } from "./format-error.ts";
export { insertIdentity } from "./identity.ts";
export * from "./ip-prefixes.ts";
export * from "./overrides.ts";
export * from "./pem.ts";
export { selectServedRoutes } from "./served-routes.ts";
export * from "./versions.ts";
export * from "./vulnerabilities.ts";
export type { YamlMap, YamlValue } from "./yaml-writer.ts";
