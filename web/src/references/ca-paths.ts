export const CAS_PATH = "/certificate-authorities";
export const rotatePath = (networkID: string) => `${CAS_PATH}/${encodeURIComponent(networkID)}/rotate`;
