import type { Decision } from './decision.ts';

/**
 * Returns the ancestors of the agent at the time of the decision, the nearest first. They are found in the decision:
 * an ALLOW was charged to each of them, and the names of their policies contain their ids.
 */
export function ancestorsIn({
  reservation,
  mandate,
}: Pick<Decision, 'reservation'> & Partial<Pick<Decision, 'mandate'>>): readonly string[] {
  const charged = (reservation?.budgets ?? []).flatMap(({ ancestor }) => ancestor ?? []);
  const named = (mandate?.policies ?? []).flatMap((policy) => policy.split(' of ', 2)[1] ?? []);
  return [...new Set([...charged, ...named])];
}
