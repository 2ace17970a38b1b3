export type AddressFamily = "IPv4" | "IPv6";

/** The family of a valid address or CIDR. */
export const addressFamilyOf = (text: string): AddressFamily => (text.includes(":") ? "IPv6" : "IPv4");
