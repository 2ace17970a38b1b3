/** Where a request came from, in terms that a person recognizes. */
export interface Origin {
  ip: string;
  userAgent: string | undefined;
}
