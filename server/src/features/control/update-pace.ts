/**
 * Limits how many woken hosts fetch their update at the same time. With fewer requests at once, a server needs less
 * memory and time for each, and most hosts are done earlier.
 */
const HOSTS_MAX = 1000;
/** More hosts are woken when only so many are left, rather than one by one, so that their rows are read together. */
const FEW_HOSTS = HOSTS_MAX / 2;
/** Hosts that are slower, or never fetch their update, delay no other for longer. */
const WAIT_MS_MAX = 200;

export class UpdatePace {
  readonly #waitMsMax: number;
  /** The hosts that were woken and haven't fetched their update. */
  readonly #hostIDs = new Set<string>();
  #resume = () => {};

  constructor(waitMsMax = WAIT_MS_MAX) {
    this.#waitMsMax = waitMsMax;
  }

  /** The host was woken. */
  add(hostID: string): void {
    this.#hostIDs.add(hostID);
  }

  /** The host has fetched its update. */
  remove(hostID: string): void {
    this.#hostIDs.delete(hostID);
    if (this.#hostIDs.size <= FEW_HOSTS) this.#resume();
  }

  has(hostID: string): boolean {
    return this.#hostIDs.has(hostID);
  }

  /** Resolves with the number of hosts that may be woken now. */
  async next(): Promise<number> {
    if (this.#hostIDs.size > FEW_HOSTS) await this.#waitForHosts();
    return HOSTS_MAX - this.#hostIDs.size;
  }

  #waitForHosts(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#hostIDs.clear();
        resolve();
      }, this.#waitMsMax);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
