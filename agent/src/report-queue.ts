/** Sends one report at a time, so that the server receives the newest one last. */
export class ReportQueue {
  /** A report has to be sent; after a failure, at the next contact with the server. */
  isDue = false;
  private isSending = false;
  private readonly sendNow: () => Promise<void>;

  constructor(sendNow: () => Promise<void>) {
    this.sendNow = sendNow;
  }

  /** A report that becomes due while another is sent follows it. */
  async send(): Promise<void> {
    this.isDue = true;
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.isDue) {
        this.isDue = false;
        await this.sendNow();
      }
    } catch {
      // The poll reports an unreachable server.
      this.isDue = true;
    } finally {
      this.isSending = false;
    }
  }
}
