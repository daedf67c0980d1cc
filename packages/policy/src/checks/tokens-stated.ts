import type { LlmCall } from '@mandate/schemas';
import { limitsUnit, tokensOfCall } from '../unit-reserves.ts';
import { blocked, passed, type StaticCheck } from './check.ts';

/** Checks that the tokens of the call can be known, if the policy limits tokens. */
export const tokensStated: StaticCheck = ({ judgedAs, policy }) => {
  if (judgedAs !== 'model' || !limitsUnit(policy, 'tokens')) return null;
  return ({ action, call, atMs }) => {
    const { inputTokens, maxOutputTokens } = action as LlmCall;
    const callTokens =
      call === null ? null : tokensOfCall(action as LlmCall, call, policy.defaultTokens, atMs);
    if (callTokens !== null) return passed('tokens-stated', { callTokens });
    const missing = [
      ...(inputTokens === undefined ? ['inputTokens'] : []),
      ...(maxOutputTokens === undefined ? ['maxOutputTokens'] : []),
    ];
    const named = missing.join(' and ');
    return blocked(
      'tokens-stated',
      { callTokens: null, missing },
      {
        code: 'TOKENS_NOT_STATED',
        reason: `The call does not say its ${named}, and a limit on tokens is in force.`,
        remedy: `State ${named}, or ask for defaultTokens to be set.`,
      },
    );
  };
};
