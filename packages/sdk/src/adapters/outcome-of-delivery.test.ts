import { expect, test } from 'vitest';
import { NOTHING, outcomeOfDelivery } from './outcome-of-delivery.ts';

const usage = { inputTokens: 9, cachedInputTokens: 4, outputTokens: 7 };
const started = { inputTokens: 9, outputTokens: 1 };

test.each([
  ['whole', { ...NOTHING, usage }, { status: 'success', usage }],
  ['whole', { ...NOTHING, started, deliveredBytes: 30 }, { status: 'success' }],
  ['left', { ...NOTHING, usage }, { status: 'success', usage }],
  [
    'left',
    { ...NOTHING, deliveredBytes: 30 },
    { status: 'success', usage: { inputTokens: 50, outputTokens: 10 } },
  ],
  ['left', { ...NOTHING, started }, { status: 'success', usage: started }],
  [
    'broken',
    { ...NOTHING, started, deliveredBytes: 31 },
    { status: 'failure', usage: { inputTokens: 9, outputTokens: 11 } },
  ],
  ['broken', NOTHING, { status: 'failure', usage: { inputTokens: 50, outputTokens: 0 } }],
] as const)('an answer that is %s, with %j, has the outcome %j', (end, delivery, outcome) => {
  expect(outcomeOfDelivery(end, delivery, 50)).toEqual(outcome);
});
