/** The kinds of action about memory: to read it, to ask what to save, and to change it. */
import { z } from 'zod';
import { everyAction } from './action-fields.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { duration } from './manifest-fields.ts';
import { CONTENT_NEEDED, MEMORY_OPERATION_FIELDS, type MemoryOperationName } from './memory-operations.ts';
import { count, id, time } from './scalars.ts';

export const memoryRead = z.strictObject({
  ...everyAction,
  type: described(
    z.literal('memory_read'),
    'A read of memory. The decision names the stores and the limits.',
  ),
  intent: described(
    id.optional(),
    'The intent whose stores are read. It has no effect in a turn, because a turn has its own intent.',
    'recall_past',
  ),
  stores: described(z.array(id).optional(), 'The stores to read. Default: all that may be read.', [
    'episodic',
  ]),
  limits: described(
    z.record(id, z.int().min(1)).optional(),
    'The most results that are asked for, by store. Default: as many as allowed.',
    { episodic: 3 },
  ),
  filter: described(
    z
      .strictObject({
        user_id: described(
          id.nullable().optional(),
          'The person whose memories are read. null: everybody.',
          'u1',
        ),
      })
      .optional(),
    'Whose memories are read. Default: those of the principal.',
  ),
  query: described(z.string().optional(), 'What is searched for.', 'the last lesson'),
});

const WRITE_EVENTS = ['interaction_complete', 'message_sent'] as const;

export const memoryWrite = z.strictObject({
  ...everyAction,
  type: described(z.literal('memory_write'), 'The question what to save of an interaction.'),
  event: described(z.enum(WRITE_EVENTS), 'What has happened.'),
  text: described(
    z.strictObject({
      user: described(z.string(), 'What the user said, unchanged.', 'My name is Mia.'),
      agent: described(z.string().exactOptional(), 'What the agent answered.', 'Nice to meet you, Mia.'),
    }),
    'The interaction.',
  ),
  hints: described(
    z
      .strictObject({
        save: described(z.boolean().optional(), 'Whether something should be saved.', true),
        memorable: described(z.boolean().optional(), 'Whether the text is worth remembering.', true),
        scope: described(id.optional(), 'The save rule that should apply.', 'permanent'),
        category: described(id.optional(), 'The category of the memory. It is passed on.', 'hobbies'),
        ttl: described(
          duration('36500d').optional(),
          'How long the memory should live. A rule may say less.',
          '30d',
        ),
        store: described(id.optional(), 'The store that should be used.', 'semantic'),
      })
      .optional(),
    'Wishes about the save. Wishes of a model that the policy forbids are left out.',
  ),
});

/** A path of categories: slugs joined by `/`, with or without one in front. */
const categoryPath = z
  .string()
  .max(CAPS.idUnits)
  .regex(/^\/?[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)*$/, {
    error:
      'must be names of small letters, digits and single dashes, joined by slashes, as in /standup/pinned',
  });

const MEMORY_OPERATIONS = Object.keys(MEMORY_OPERATION_FIELDS) as MemoryOperationName[];

export const memoryOperation = z
  .strictObject({
    ...everyAction,
    type: described(z.literal('memory_operation'), 'A change of a memory or of a category of memories.'),
    operation: described(z.enum(MEMORY_OPERATIONS), 'What is done.'),
    store: described(id, 'The store.', 'cortex'),
    category: described(categoryPath.optional(), 'The category of the memory.', '/standup'),
    to: described(categoryPath.optional(), 'The category to which a memory is moved.', '/standup/pinned'),
    toStore: described(id.optional(), 'The store to which a memory is moved. Default: the same.', 'archive'),
    path: described(categoryPath.optional(), 'The category that is made, deleted or described.', '/todo'),
    content: described(z.string().optional(), 'The content of the memory.', 'Water the plants.'),
    contentLength: described(
      count.optional(),
      'The number of characters of the content. It keeps the content out of the record.',
      17,
    ),
    expiresAt: described(time.nullable().optional(), 'When the memory should expire. null: never.'),
    createdAt: described(time.optional(), 'When the memory was created, as its store says.'),
    currentExpiresAt: described(
      time.nullable().optional(),
      'When the memory expires now, as its store says. null: never.',
    ),
    existing: described(
      z.array(categoryPath).optional(),
      'The categories that there are, as the store says.',
      ['/standup'],
    ),
    description: described(
      z.string().optional(),
      'The new description of the category. Empty: none.',
      'Daily',
    ),
  })
  .check(checkFields);

/** Checks that the action has the fields of its operation, and no others. */
function checkFields({ value, issues }: z.core.ParsePayload<object>): void {
  const action = value as { readonly [field: string]: unknown; operation: MemoryOperationName };
  const { required, optional }: { required: readonly string[]; optional: readonly string[] } =
    MEMORY_OPERATION_FIELDS[action.operation];
  const say = (field: string, message: string) =>
    issues.push({ code: 'custom', input: action[field], path: [field], message });
  for (const field of required)
    if (action[field] === undefined) say(field, `is missing: ${action.operation} needs it`);
  for (const field of OPERATION_FIELDS)
    if (action[field] !== undefined && !required.includes(field) && !optional.includes(field))
      say(field, `has no meaning for ${action.operation}: remove it`);
  const { content, contentLength } = action;
  if (content !== undefined && contentLength !== undefined)
    say('content', 'must not be there beside contentLength: send one of the two');
  if (CONTENT_NEEDED.has(action.operation) && content === undefined && contentLength === undefined)
    say('content', 'is missing: send it, or contentLength');
}

const OPERATION_FIELDS: ReadonlySet<string> = new Set(
  Object.values(MEMORY_OPERATION_FIELDS).flatMap(({ required, optional }) => [...required, ...optional]),
);
