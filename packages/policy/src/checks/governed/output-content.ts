import type { Json } from '@mandate/schemas';
import { PRIVACY_PATTERNS } from '@mandate/schemas/core';
import type { Governance } from '../../governance/governance.ts';
import type { ContentFinders } from '../../governance/output/content-finders.ts';
import {
  type FilteredOutput,
  filterOutput,
  type OutputFilter,
} from '../../governance/output/output-filter.ts';
import { profanityFinder } from '../../governance/output/profanity.ts';
import { tooManySteps } from '../../refused-plan.ts';
import { blocked, type JointCheck, obliging, passed } from '../check.ts';
import { type Governed, governedOf } from './governed.ts';
import { textIn } from './text-length.ts';

const CHECK = 'output-content';

type BlockedContent = Governance['output']['filters'][number];

/** Filters an answer by the filters of all policies: what blocks it, or which parts must be redacted. */
export const outputContent: JointCheck = (calls) => {
  if (calls[0]?.type !== 'output') return null;
  const filtering = governedOf(calls).filter(({ governance }) => governance.output.filters.length > 0);
  const makers = filtering.flatMap(makersOf);
  if (makers.length === 0) return null;
  const policy = filtering[0]?.policy;
  const of = policy === undefined ? {} : { of: policy };
  return {
    check: CHECK,
    run({ action, finders, stepBudget }) {
      if (finders === null) throw new Error('no finders of personal data and profane words were given');
      const filters = makers.map((make) => make(finders));
      const filtered = filterOutput(textIn(action), filters, stepBudget);
      if (filtered === null) {
        const { check, violation } = tooManySteps('for the filters of answers', {});
        return { result: 'block', check, violation, ...of };
      }
      return { ...found(filtered), ...of };
    },
  };
};

function found(filtered: FilteredOutput) {
  if (filtered.blocked !== null) {
    const kinds = filtered.blocked.join(', ');
    return blocked(
      CHECK,
      { blocked: [...filtered.blocked] },
      {
        code: 'CONTENT_BLOCKED',
        reason: `The answer contains content that the policy blocks: ${kinds}.`,
        remedy: 'Leave that content out, or rephrase the answer.',
      },
    );
  }
  const { redactions } = filtered;
  if (redactions.length === 0) return passed(CHECK, { redactions: 0 });
  return obliging(
    CHECK,
    { redactions: redactions.length },
    { obligations: { redactions: redactions as unknown as Json } },
  );
}

function makersOf({ governance }: Governed): ((finders: ContentFinders) => OutputFilter)[] {
  return governance.output.filters.flatMap((filter) => [...personalData(filter), ...profanity(filter)]);
}

function personalData({ pii_detection: pii = false }: BlockedContent) {
  if (pii === false) return [];
  const { types, action } = pii === true ? { types: null, action: 'redact' as const } : pii;
  return [
    ({ personalData: find }: ContentFinders): OutputFilter => ({
      action,
      find: find(types ?? PRIVACY_PATTERNS),
    }),
  ];
}

function profanity({ profanity_filter: filter = false }: BlockedContent) {
  if (filter === false) return [];
  const { words, action } = filter === true ? { words: undefined, action: 'redact' as const } : filter;
  const own = words === undefined ? null : profanityFinder(words);
  return [({ profanity: usual }: ContentFinders): OutputFilter => ({ action, find: own ?? usual })];
}
