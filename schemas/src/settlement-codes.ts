/** The marks of a settlement that people should know of, the gravest first. */
export const SETTLEMENT_MARKS = [
  'EXCESS_QUARANTINED',
  'OVERDRAWN',
  'COST_PER_CALL_EXCEEDED',
  'RELEASE_REFUSED',
] as const;

export const SETTLEMENT_CODES = ['SETTLED', ...SETTLEMENT_MARKS, 'NO_EFFECT'] as const;
