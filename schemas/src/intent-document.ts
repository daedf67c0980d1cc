/** The intents of a manifest: what shows an intent in a text, and the values that are taken from the text. */
import { z } from 'zod';
import { described } from './described.ts';
import { description, namePart, textOf, textPatternField } from './manifest-fields.ts';
import { id } from './scalars.ts';

/** The types of entities that need no declaration. */
export const ENTITY_TYPES = ['string', 'integer', 'number', 'enum'] as const;

export const entityTypeDocument = z.strictObject({
  pattern: described(
    textPatternField,
    'The pattern of a value. Upper and lower case are equal. A match is a word of its own.',
    'N[1-5]',
  ),
  case: described(
    z.enum(['upper', 'lower', 'keep']).default('keep'),
    'The case into which a found value is put.',
  ),
});

const entity = z.strictObject({
  name: described(id, 'The name of the entity, unique in its intent.', 'level'),
  type: described(
    id,
    `The type of the value: ${ENTITY_TYPES.join(', ')}, or a name of entity_types.`,
    'jlpt_level',
  ),
  required: described(
    z.boolean().default(false),
    'True if the answer must say that the value is missing.',
    true,
  ),
  default: described(z.unknown().optional(), 'The value if the text has none.', 'N5'),
  min: described(z.number().optional(), 'The least value of an integer or a number.', 1),
  max: described(z.number().optional(), 'The greatest value of an integer or a number.', 20),
  values: described(z.array(textOf(200)).min(1).optional(), 'The values of an enum.', ['table', 'room']),
  pattern: described(
    textPatternField.optional(),
    'The pattern of a string. Its first group is the value.',
    'on ([0-9]{4}-[0-9]{2}-[0-9]{2})',
  ),
});

const triggers = z.strictObject({
  keywords: described(
    z.array(textOf(200).refine((text) => text.trim() !== '', { error: 'must not be blank' })).default([]),
    'Words or phrases that show this intent.',
    ['flashcard', 'flashcards'],
  ),
  patterns: described(z.array(textPatternField).default([]), 'Patterns that show this intent.', [
    'flashcards?\\s+(for|about)',
  ]),
  fallback: described(
    z.boolean().default(false),
    'True for the one intent of all texts that show no other intent.',
    true,
  ),
});

export const intentDocument = z.strictObject({
  id: described(namePart, 'The id of the intent.', 'create_flashcards'),
  description,
  triggers: described(
    triggers.default({ keywords: [], patterns: [], fallback: false }),
    'What shows this intent in the text of a user.',
    { keywords: ['flashcard'], patterns: [], fallback: false },
  ),
  entities: described(z.array(entity).default([]), 'The values that are taken from the text.', [
    { name: 'count', type: 'integer', required: false, min: 1, max: 20, default: 5 },
  ]),
});

export type IntentDocument = z.infer<typeof intentDocument>;
