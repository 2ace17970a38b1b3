/** Whether the server responds at all. */
export const isServing = (): Promise<boolean> =>
  fetchVersion().then(
    () => true,
    () => false,
  );

/** The version that the server serves now; the version of this page is in the configuration. */
export async function fetchVersion(signal?: AbortSignal): Promise<string> {
  const response = await fetch("/v", { credentials: "omit", cache: "no-store", ...(signal && { signal }) });
  if (!response.ok) throw new Error(`Reading the version failed: ${response.status}`);
  return (await response.text()).trim();
}
