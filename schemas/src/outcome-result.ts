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

/** Returns how many calls of tools an answer asks for in all. */
export function toolCallsIn(counts: readonly { calls: number }[]): number {
  return counts.reduce((sum, { calls }) => sum + calls, 0);
}
