/** Limits that the server enforces and the console explains. */

/** Names of roles, routes, API keys, authenticators and saved views. */
export const NAME_LENGTH_MAX = 50;
/** Names of hosts, networks and organizations. */
export const LONG_NAME_LENGTH_MAX = 255;
export const DESCRIPTION_LENGTH_MAX = 255;
/** The person or team that is responsible for a host. */
export const OWNER_LENGTH_MAX = 255;
export const TAG_KEY_LENGTH_MAX = 20;
export const TAG_VALUE_LENGTH_MAX = 50;
export const SEARCH_LENGTH_MAX = 100;
export const SUBJECT_LENGTH_MAX = 200;
export const MESSAGE_LENGTH_MAX = 10_000;
/** IDs in requests; the IDs of every noun are shorter. */
export const ID_LENGTH_MAX = 64;
/** The ID of an audit target, which for a tag is its name. */
export const TARGET_ID_LENGTH_MAX = 255;

/** The CIDR of a network. */
export const PREFIX_LENGTH_MIN = 8;
export const PREFIX_LENGTH_MAX = 30;
export const IPV6_PREFIX_LENGTH_MIN = 48;
export const IPV6_PREFIX_LENGTH_MAX = 112;

export const PORT_MAX = 65_535;
export const STATIC_ADDRESSES_MAX = 20;
export const DOMAINS_MAX = 50;
export const ENDPOINT_VALID_DAYS_MAX = 365;
