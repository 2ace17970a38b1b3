export const PORT_MAX = 65_535;
