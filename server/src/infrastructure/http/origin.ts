/** Where a request came from, as its person can recognize it. */
export interface Origin {
  ip: string;
  userAgent: string | undefined;
}
