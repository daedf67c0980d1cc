import type { Decision } from './decision.ts';

/**
 * Returns the ancestors of the agent at the time of the decision, the nearest first. An ALLOW was charged to each of
 * them, and a decision names their policies together with them.
 */
export function ancestorsIn({
  reservation,
  mandate,
}: Pick<Decision, 'reservation'> & Partial<Pick<Decision, 'mandate'>>): readonly string[] {
  const charged = (reservation?.budgets ?? []).flatMap(({ ancestor }) => ancestor ?? []);
  const named = (mandate?.policies ?? []).flatMap((policy) => policy.split(' of ', 2)[1] ?? []);
  return [...new Set([...charged, ...named])];
}
