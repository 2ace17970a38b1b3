/** Turns what the system says into a sentence an operator can act on; any other error stays as it is. */
export function explainFailure(error: unknown, dataDir: string): unknown {
  const { code = "", message = "", path = dataDir, syscall = "" } = error as Partial<NodeJS.ErrnoException>;
  if (/^(ENOSPC|EDQUOT)$/.test(code) || /No space left on device|quota exceeded/i.test(message)) {
    return new Error(`There is no room left on the disk that holds ${dataDir}.`, { cause: error });
  }
  // The last is what Node says when it makes directories on a disk that is mounted read-only.
  const isRefused = /^(EACCES|EPERM|EROFS)$/.test(code) || (code === "ENOENT" && syscall === "mkdir");
  if (isRefused) {
    return new Error(`No permission to use ${path}: the database needs to write in ${dataDir}.`, {
      cause: error,
    });
  }
  return error;
}
