/** The map of hosts, beside their list. */
export const MAP_PATH = "/hosts/map";
