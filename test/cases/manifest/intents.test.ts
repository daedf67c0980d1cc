/** Tests the classification of prompts against every prompt of the cases that is allowed. */
import { compileIntents, type IntentsDocument, stepBudgetOfAction } from '@mandate/policy/governance';
import { describe, expect, test } from 'vitest';
import { patchedDocument } from './patched-document.ts';
import { stepsOfCases } from './steps-of-cases.ts';

type Prompt = { readonly type: 'prompt'; readonly agentId: string; readonly text: string };

const STEPS = stepsOfCases<Prompt, { obligations?: { intent?: unknown } }>('prompt').filter(
  ({ answer }) => answer.obligations?.intent !== undefined,
);

describe('intents and entities', () => {
  test.each(STEPS)('$name', ({ given, ask, answer }) => {
    const document = patchedDocument<IntentsDocument>(given.manifest, given.manifestPatch);
    const intent = compileIntents(document).classify(ask.text, stepBudgetOfAction());
    expect(intent).toEqual(answer.obligations?.intent);
  });

  test('there are cases of both topics', () => {
    expect(STEPS.map(({ topic }) => topic)).toEqual(expect.arrayContaining(['intent', 'entity']));
  });
});
