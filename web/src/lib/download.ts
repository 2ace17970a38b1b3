/** Downloads content as a file. */
export function downloadBlob(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The click only starts the download, which still needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function downloadText(name: string, text: string, type = "text/plain"): void {
  downloadBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}
