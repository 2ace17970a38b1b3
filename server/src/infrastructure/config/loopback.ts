/** Whether the address or host name is this machine. */
export function isLoopback(host: string | undefined): boolean {
  if (!host) return false;
  const bare = host.replace(/^\[|\]$/g, "").replace(/^::ffff:/, "");
  return bare === "localhost" || bare === "::1" || /^127(\.\d{1,3}){3}$/.test(bare);
}
