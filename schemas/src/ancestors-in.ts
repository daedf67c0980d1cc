import type { Decision } from './decision.ts';

/**
 * Who stood above the agent when it was decided, the nearest first: an ALLOW was charged to each of them, and a decision names
 * their policies with them.
 */
export function ancestorsIn({
  reservation,
  mandate,
}: Pick<Decision, 'reservation'> & Partial<Pick<Decision, 'mandate'>>): readonly string[] {
  const charged = (reservation?.budgets ?? []).flatMap(({ ancestor }) => ancestor ?? []);
  const named = (mandate?.policies ?? []).flatMap((policy) => policy.split(' of ', 2)[1] ?? []);
  return [...new Set([...charged, ...named])];
}
