/** Tests what is redacted in outputs, and what blocks them, against the cases of the topic `output`. */
import {
  filterOutput,
  type OutputFilter,
  profanityFinder,
  stepBudgetOfAction,
} from '@mandate/policy/governance';
import { findPieces } from '@mandate/privacy';
import { PRIVACY_PATTERNS, type PrivacyPattern } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { patchedDocument } from './patched-document.ts';
import { stepsOfCases } from './steps-of-cases.ts';

type Output = { readonly type: 'output'; readonly agentId: string; readonly text: string };
type Answer = {
  code: string;
  obligations: { redactions?: readonly { type: string; start: number; end: number }[] };
  says?: readonly string[];
  textAfter?: string;
};
type Fields = boolean | { types?: PrivacyPattern[]; words?: string[]; action?: 'redact' | 'block' };
type Policy = {
  guardrails: { output: { blocked_content: { pii_detection?: Fields; profanity_filter?: Fields }[] } };
};

// A limit of the length is checked before any filter.
const STEPS = stepsOfCases<Output, Answer>('output').filter(
  ({ answer }) => answer.code !== 'CONTENT_TOO_LONG',
);

describe('filters of outputs', () => {
  test.each(STEPS)('$name', ({ given, ask, answer }) => {
    const overlay = String(given.policy).replace(/\.yaml$/, `.${given.environment}.yaml`);
    const overlays = given.environment === undefined ? [] : [patchedDocument(overlay)];
    const policy = patchedDocument<Policy>(given.policy, ...overlays, given.policyPatch);
    const filters = policy.guardrails.output.blocked_content.flatMap(filterOf);
    const filtered = filterOutput(ask.text, filters, stepBudgetOfAction());
    if (answer.code === 'CONTENT_BLOCKED') {
      expect(filtered?.blocked).toEqual(expect.arrayContaining([...(answer.says ?? [])]));
      return;
    }
    const redactions = filtered?.blocked === null ? filtered.redactions : null;
    expect(redactions).toEqual(answer.obligations.redactions ?? []);
    if (answer.textAfter !== undefined) expect(applied(ask.text, redactions ?? [])).toBe(answer.textAfter);
  });

  test('there are cases', () => {
    expect(STEPS.length).toBeGreaterThan(0);
  });
});

function filterOf({
  pii_detection: pii = false,
  profanity_filter: profanity = false,
}: Policy['guardrails']['output']['blocked_content'][number]): OutputFilter[] {
  const filters: OutputFilter[] = [];
  if (pii !== false) {
    const { types = [...PRIVACY_PATTERNS], action = 'redact' } = pii === true ? {} : pii;
    filters.push({
      action,
      find: (text) =>
        findPieces(text, types).map(({ pattern, start, end }) => ({ type: pattern, start, end })),
    });
  }
  if (profanity !== false) {
    const { words = ['shit'], action = 'redact' } = profanity === true ? {} : profanity;
    filters.push({ action, find: profanityFinder(words) });
  }
  return filters;
}

function applied(text: string, redactions: readonly { type: string; start: number; end: number }[]): string {
  const characters = [...text];
  for (const { type, start, end } of redactions.toReversed()) {
    characters.splice(start, end - start, `[redacted:${type}]`);
  }
  return characters.join('');
}
