/** The caps that concern a single call. A client of a plane must stay small, so it imports only these caps. */
export const CALL_CAPS = {
  recordBytes: 256 * 1024,
  depth: 32,
  stringUnits: 64 * 1024,
  idUnits: 200,
  attempts: 1_000,
  deadlineMs: 24 * 3_600_000,
  leaseMs: 12 * 3_600_000,
  /** The longest time that a publisher waits for an answer. */
  waitMs: 60_000,
} as const;
