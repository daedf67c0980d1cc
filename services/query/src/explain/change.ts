/** The answer to the question what would have to change for another verdict. */
import { BUDGET_SCOPES, described } from '@mandate/schemas';
import { z } from 'zod';
import { GOVERNED_WAYS } from './ways-past-governed.ts';

const WAYS = [
  'another-id',
  'next-attempt',
  'longer-deadline',
  'room-to-remember',
  'revive',
  'open-tenant',
  'mandate-for-agent',
  'later-expiry',
  'not-denied',
  'allowed',
  'declared',
  'other-arguments',
  'less-to-judge',
  'stated-price',
  'stated-tokens',
  'stated-provider',
  'higher-limit',
  'cheaper-call',
  'fewer-tokens',
  'not-before',
  'more-calls',
  'more-open',
  'approval',
  ...GOVERNED_WAYS,
] as const;

const way = z.object({
  way: described(z.enum(WAYS), 'The kind of change.'),
  words: described(z.string(), 'The change, as a sentence.', 'raise maxCostTotal to $10.10 or more'),
  field: described(
    z.string().optional(),
    'The field of the mandate to change. Absent if the change is not in the mandate.',
    'maxCostTotal',
  ),
  name: described(
    z.string().optional(),
    'The tool, model or provider that the change is about. Absent if there is none.',
    'send_certificate',
  ),
  budget: described(
    z
      .object({
        scope: described(z.enum(BUDGET_SCOPES), 'Who shares the budget.'),
        id: described(z.string(), 'The id of the budget.', 'total'),
        windowMs: described(
          z.int().nullable(),
          'The length of the window, in milliseconds. null: the budget never resets.',
          86_400_000,
        ),
      })
      .optional(),
    'The budget that the change is about. Absent if there is none.',
  ),
  atLeastMicros: described(
    z.int().optional(),
    'The least amount that suffices, in micro-dollars. Absent if the change is not about an amount.',
    10_100_000,
  ),
  atMostMicros: described(
    z.int().optional(),
    'The largest amount that passes, in micro-dollars. Absent if the change is not about an amount.',
    60_000,
  ),
  atLeastTokens: described(
    z.int().optional(),
    'The fewest tokens that suffice. Absent if the change is not about tokens.',
    120_000,
  ),
  atLeastToolCalls: described(
    z.int().optional(),
    'The fewest tool calls of answers that suffice. Absent if the change is not about tool calls.',
    60,
  ),
  atMostTokens: described(
    z.int().optional(),
    'The most tokens that pass. Absent if the change is not about tokens.',
    400,
  ),
  atLeastCalls: described(
    z.int().optional(),
    'The fewest calls that suffice. Absent if the change is not about calls.',
    6,
  ),
  atLeastMs: described(
    z.int().optional(),
    'The shortest time that suffices, in milliseconds. Absent if the change is not about a duration.',
    6_000,
  ),
  notBefore: described(
    z.string().optional(),
    'The earliest time at which the action passes. Absent if the change is not about a time.',
    '2026-01-05T10:30:41.004Z',
  ),
  after: described(
    z.string().optional(),
    'The new expiry must come after this time. Absent if the change is not about an expiry.',
    '2026-01-05T09:30:41.004Z',
  ),
});
/** One change that meets a need. */
export type Way = z.output<typeof way>;

const AS = ['the-same-request', 'next-attempt', 'new-id'] as const;

export const change = z.object({
  needs: described(
    z.array(
      z.object({
        check: described(z.string(), 'The check that did not pass.', 'budget'),
        why: described(
          z.string(),
          'What it found, as a sentence.',
          'the agent budget "total" has $0.04 left, and the call costs $0.10',
        ),
        anyOf: described(z.array(way), 'Changes that meet the need. Any one of them suffices.'),
      }),
    ),
    'What stood in the way. All of these needs must be met, each by any one of its changes.',
  ),
  near: described(
    z.array(
      z.object({
        check: described(z.string(), 'The check that passed narrowly.', 'tool-rate'),
        why: described(z.string(), 'What it found, as a sentence.', '4 of 5 calls in an hour'),
        words: described(z.string(), 'How narrowly, as a sentence.', 'one more call passes'),
      }),
    ),
    'The checks that passed only narrowly.',
  ),
  unasked: described(z.array(z.string()), 'Checks that were not asked and might still object.', [
    'mandate-rate',
  ]),
  askAgainAs: described(
    z.enum(AS).nullable(),
    'How the action can be asked again. null: nothing has to be asked again.',
  ),
});
export type Change = z.output<typeof change>;
