export interface ToastOptions {
  tone?: "ok" | "info" | "danger" | undefined;
  /** Shown with a copy button, for support requests. */
  requestID?: string | undefined;
  /** A button such as Undo or Retry, which also closes the toast. */
  action?: { label: string; onSelect: () => void } | undefined;
}

export interface ToastEntry extends ToastOptions {
  id: number;
  message: string;
}

/** How long a toast stays. Failures stay longer because they take longer to read. */
export const toastLifeMs = 4000;
export const dangerLifeMs = 10_000;

let entries: readonly ToastEntry[] = [];
let lastID = 0;
const listeners = new Set<() => void>();

function publish(next: readonly ToastEntry[]) {
  entries = next;
  for (const listener of listeners) listener();
}

/** Shows a message in the Toaster and returns its ID. */
export function toast(message: string, options: ToastOptions = {}) {
  lastID += 1;
  publish([...entries, { ...options, id: lastID, message }]);
  return lastID;
}

export function closeToast(id: number) {
  publish(entries.filter((entry) => entry.id !== id));
}

export const toastStore = {
  get: () => entries,
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
