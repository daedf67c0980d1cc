/** The marks of a settlement that people should know about, the most serious first. */
export const SETTLEMENT_MARKS = [
  'EXCESS_QUARANTINED',
  'OVERDRAWN',
  'COST_PER_CALL_EXCEEDED',
  'RELEASE_REFUSED',
] as const;

export const SETTLEMENT_CODES = ['SETTLED', ...SETTLEMENT_MARKS, 'NO_EFFECT'] as const;
