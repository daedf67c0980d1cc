import { blocked, type StaticCheck } from './check.ts';

/** A rule that names a policy which is not there must block: who takes a policy away would widen what its rule left. */
export const policyFound: StaticCheck = ({ policy: { isMissing, name } }) => {
  if (!isMissing) return null;
  return () =>
    blocked(
      'policy-found',
      { policy: name },
      {
        code: 'MANDATE_NOT_FOUND',
        reason: `A rule names the policy "${name}", which is not there.`,
        remedy: 'Publish that policy, or have the rule name another.',
      },
    );
};
