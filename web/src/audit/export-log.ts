import { EXPORT_COUNT_HEADER, exportAuditLogs, type QueryOf } from "@lightkeeper/contract";
import { api } from "../lib/api.ts";

export type ExportQuery = Partial<QueryOf<typeof exportAuditLogs>>;

export interface Progress {
  rows: number;
  /** Undefined if unknown. */
  total: number | undefined;
}

export interface ExportedLog {
  name: string;
  content: Blob;
  rows: number;
}

const LINE_FEED = 10;
/** Beyond this size, the received parts become a Blob, which the browser can move to disk. */
const IN_MEMORY_BYTES_MAX = 8 * 1024 * 1024;

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

const nameIn = (disposition: string | null) => /filename="([^"]+)"/.exec(disposition ?? "")?.[1];

/** Downloads all matching entries. The first line is a header. */
export async function exportLog(
  query: ExportQuery,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<ExportedLog> {
  const response = await api(exportAuditLogs, { query, signal });
  const { headers, body } = response;
  const total = Number(headers.get(EXPORT_COUNT_HEADER)) || undefined;
  let parts: BlobPart[] = [];
  let inMemory = 0;
  let lines = 0;
  const rows = () => Math.min(Math.max(0, lines - 1), total ?? Infinity);
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    parts.push(value);
    lines += countLines(value);
    inMemory += value.length;
    if (inMemory > IN_MEMORY_BYTES_MAX) {
      parts = [new Blob(parts)];
      inMemory = 0;
    }
    onProgress({ rows: rows(), total });
  }
  const type = headers.get("content-type") ?? "";
  const name = nameIn(headers.get("content-disposition")) ?? `audit-log.${query.format ?? "csv"}`;
  return { name, content: new Blob(parts, { type }), rows: rows() };
}
