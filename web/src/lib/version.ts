/** Whether the server answers at all. */
export const isServing = (): Promise<boolean> =>
  fetchVersion().then(
    () => true,
    () => false,
  );

/** The version the server serves now; the page's own is in the configuration. */
export async function fetchVersion(signal?: AbortSignal): Promise<string> {
  const response = await fetch("/v", { credentials: "omit", cache: "no-store", ...(signal && { signal }) });
  if (!response.ok) throw new Error(`The version could not be read: ${response.status}`);
  return (await response.text()).trim();
}
