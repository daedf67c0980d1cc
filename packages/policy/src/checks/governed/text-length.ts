import type { Action, Output, Prompt } from '@mandate/schemas';
import { charactersIn } from '../../governance/text/characters-in.ts';
import { blocked, type CheckFn, passed, type StaticCheck } from '../check.ts';

export const inputLength: StaticCheck = ({ type, policy }) =>
  type === 'prompt'
    ? lengthCheck('input-length', 'prompt', policy.governance?.input.maxLength ?? null)
    : null;

export const outputLength: StaticCheck = ({ type, policy }) =>
  type === 'output'
    ? lengthCheck('output-length', 'answer', policy.governance?.output.maxLength ?? null)
    : null;

function lengthCheck(check: string, what: string, maxLength: number | null): CheckFn | null {
  if (maxLength === null) return null;
  return ({ action }) => {
    const length = charactersIn(textIn(action));
    if (length <= maxLength) return passed(check, { length, maxLength });
    return blocked(
      check,
      { length, maxLength },
      {
        code: 'CONTENT_TOO_LONG',
        reason: `The ${what} has ${length} characters; ${maxLength} are allowed.`,
        remedy: 'Shorten it, or split it into several.',
      },
    );
  };
}

/** Returns the text of a prompt or an answer. */
export function textIn(action: Action): string {
  return (action as Prompt | Output).text;
}
