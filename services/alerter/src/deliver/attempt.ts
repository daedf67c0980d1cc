/** The result of one attempt to deliver an alert. */
export type Attempt =
  /** `status` is the HTTP status, or the reply code of a mail server. */
  | { taken: true; status: number }
  /**
   * `retryAfterMs` is the wait that the receiver asks for. `isGone`: the receiver accepts no more alerts (status
   * 410).
   */
  | { taken: false; reason: string; retryAfterMs: number | null; isGone: boolean };
