export * from "./addresses.ts";
export * from "./certificate-v1.ts";
export { FormatError } from "./format-error.ts";
export * from "./pem.ts";
