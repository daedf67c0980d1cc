/** The parts `guardrails` and `audit` of the permissions: limits of texts and turns, and what the audit marks. */
import { z } from 'zod';
import { described } from './described.ts';
import { GOVERNANCE_EVENTS } from './governance-events.ts';
import { textOf, textPatternField } from './manifest-fields.ts';
import { PRIVACY_PATTERNS } from './privacy-patterns.ts';

const contentAction = described(
  z.enum(['redact', 'block']).default('redact'),
  'What to do with the content that is found.',
);

const blockedContent = z
  .strictObject({
    pii_detection: described(
      z
        .union([
          z.boolean(),
          z.strictObject({
            types: described(
              z.array(z.enum(PRIVACY_PATTERNS)).default([...PRIVACY_PATTERNS]),
              'The kinds of personal data to find.',
              ['email', 'phone'],
            ),
            action: contentAction,
          }),
        ])
        .optional(),
      'Searches the text for personal data. False: off.',
      true,
    ),
    profanity_filter: described(
      z
        .union([
          z.boolean(),
          z.strictObject({
            words: described(z.array(textOf(200)).min(1).optional(), 'The words to find.', ['damn']),
            action: contentAction,
          }),
        ])
        .optional(),
      'Searches the text for profane words. False: off.',
      true,
    ),
  })
  .refine((filter) => Object.keys(filter).length === 1, {
    error: 'must have one key, pii_detection or profanity_filter: write an item for each filter',
  });

const maxLength = described(
  z.int().min(1).max(65_536).optional(),
  'The most characters of the text. Default: no limit.',
  4_000,
);
const perTurn = z.int().min(0).max(10_000).optional();
export const guardrailsDocument = z.strictObject({
  input: described(
    z
      .strictObject({
        max_length: maxLength,
        blocked_patterns: described(
          z.array(textPatternField).default([]),
          'A prompt that one of these patterns matches is blocked.',
          ['ignore previous instructions'],
        ),
      })
      .optional(),
    'The limits of prompts.',
  ),
  output: described(
    z
      .strictObject({
        max_length: maxLength,
        blocked_content: described(z.array(blockedContent).default([]), 'The filters of answers.', [
          { pii_detection: true },
        ]),
      })
      .optional(),
    'The limits of answers.',
  ),
  agent: described(
    z
      .strictObject({
        max_tool_calls_per_turn: described(perTurn, 'The most tool calls in a turn. 0: none.', 3),
        max_iterations: described(perTurn, 'The most calls of a model in a turn. 0: none.', 5),
        timeout_seconds: described(
          z.int().min(1).max(43_200).optional(),
          'The longest time of a turn, in seconds.',
          60,
        ),
      })
      .optional(),
    'The limits of a turn.',
  ),
});

const fieldNames = z.array(textOf(200)).default([]);

export const auditDocument = z.strictObject({
  log_level: described(
    z.enum(['debug', 'info', 'warn', 'error']).optional(),
    'It has no effect: decisions are records, and not log lines. The operator sets the level of the log of a process.',
    'info',
  ),
  log_events: described(
    z.array(z.enum(GOVERNANCE_EVENTS)).default([...GOVERNANCE_EVENTS]),
    'The events that are marked on decisions. A shorter list does not shorten the record.',
    ['tool_invocation'],
  ),
  sensitive_fields: described(
    z
      .strictObject({
        redact: described(fieldNames, 'The names of fields whose values are removed.', ['password']),
        hash: described(fieldNames, 'The names of fields whose values are hashed.', ['user_id']),
      })
      .optional(),
    'The fields of arguments and context that the record must not contain.',
  ),
});
