import { blocked, type StaticCheck } from './check.ts';

/**
 * Blocks if the policy of a rule does not exist. Otherwise the removal of a policy would allow more than the policy
 * did. An ancestor without any mandate also blocks, because its descendants may not do more than the ancestor.
 */
export const policyFound: StaticCheck = ({ policy: { isMissing, name, ancestor } }) => {
  if (!isMissing) return null;
  if (name === null && ancestor !== null) return () => holdsNothing(ancestor);
  return () =>
    blocked(
      'policy-found',
      { policy: name },
      {
        code: 'MANDATE_NOT_FOUND',
        reason: `A rule names the policy "${name}", which does not exist or is archived.`,
        remedy: 'Publish that policy, or let the rule name another.',
      },
    );
};

function holdsNothing(ancestor: string) {
  return blocked(
    'mandate-found',
    { agentId: ancestor, registered: true },
    {
      code: 'MANDATE_NOT_FOUND',
      reason: `The agent "${ancestor}", an ancestor of this agent, may do nothing itself: no rule matches it, or it is no longer registered.`,
      remedy: `Register the agent "${ancestor}" and let a rule match it. Or give the sub-agent another parent.`,
    },
  );
}
