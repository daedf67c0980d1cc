import { fold } from '../../governance/text/fold.ts';
import { tooManySteps } from '../../refused-plan.ts';
import { blocked, passed, type StaticCheck } from '../check.ts';
import { textIn } from './text-length.ts';

const CHECK = 'input-patterns';

/** Blocks a prompt that one of the policy's patterns matches. */
export const inputPatterns: StaticCheck = ({ type, policy: { governance } }) => {
  if (type !== 'prompt' || governance === null) return null;
  const patterns = governance.input.patterns();
  if (patterns.length === 0) return null;
  return ({ action, stepBudget }) => {
    const folded = stepBudget.left < 0 ? '' : fold(textIn(action), stepBudget);
    const at = patterns.findIndex((pattern) => stepBudget.left >= 0 && pattern.test(folded, stepBudget));
    if (stepBudget.left < 0) {
      const { check, violation } = tooManySteps('for the blocked patterns of prompts', {});
      return { result: 'block', check, violation };
    }
    if (at === -1) return passed(CHECK, { patterns: patterns.length });
    return blocked(
      CHECK,
      { pattern: at + 1 },
      {
        code: 'CONTENT_BLOCKED',
        reason: `The prompt matches the blocked pattern number ${at + 1} (guardrails.input.blocked_patterns).`,
        remedy: 'Rephrase the prompt, or leave that part out.',
      },
    );
  };
};
