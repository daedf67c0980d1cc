/** How an outcome counts. A success that failed its verification is a failure. */
export type OutcomeResult = 'succeeded' | 'failed' | 'cancelled';

export function outcomeResult({
  status,
  verified,
}: {
  status: 'success' | 'failure' | 'cancelled';
  verified: boolean | null;
}): OutcomeResult {
  if (status === 'cancelled') return 'cancelled';
  return status === 'success' && verified !== false ? 'succeeded' : 'failed';
}
