/** Replaces system errors with messages for operators; returns any other error unchanged. */
export function explainError(error: unknown, dataDir: string): unknown {
  const { code = "", message = "", path = dataDir, syscall = "" } = error as Partial<NodeJS.ErrnoException>;
  if (/^(ENOSPC|EDQUOT)$/.test(code) || /No space left on device|quota exceeded/i.test(message)) {
    return new Error(`The disk is full (${dataDir}). Free some space.`, { cause: error });
  }
  // Node.js returns ENOENT if it can't create a directory on a read-only disk.
  const isDenied = /^(EACCES|EPERM|EROFS)$/.test(code) || (code === "ENOENT" && syscall === "mkdir");
  if (isDenied) {
    return new Error(`Can't write to ${path}. The database needs write access to ${dataDir}.`, {
      cause: error,
    });
  }
  return error;
}
