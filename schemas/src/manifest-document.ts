/**
 * The manifest: what there is. It declares the stores of memory, the intents of users, the tools, and the specialists
 * that handle intents. `permissions-document.ts` says what is allowed. An unknown field is an error.
 */
import { z } from 'zod';
import { described } from './described.ts';
import { entityTypeDocument, intentDocument } from './intent-document.ts';
import { description, documentName, ids, namePart, textOf, version } from './manifest-fields.ts';
import { id, plainId } from './scalars.ts';

/** The usual types of stores. Another type is a warning, because the type changes no decision. */
export const STORE_TYPES = [
  'vector',
  'graph',
  'relational',
  'document',
  'key_value',
  'object',
  'api',
] as const;

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

const store = z.strictObject({
  id: described(id, 'The id of the store.', 'episodic'),
  type: described(
    id,
    `The type of the store, usually one of ${STORE_TYPES.join(', ')}. It changes no decision.`,
    'vector',
  ),
  backend: described(textOf(200), 'The system that holds the data.', 'qdrant'),
  collection: described(textOf(200).optional(), 'The collection in the backend.', 'episodic_memory'),
  embedding_dim: described(
    z.int().min(1).max(65_536).optional(),
    'The number of dimensions of the embeddings.',
    768,
  ),
  tables: described(z.array(textOf(200)).min(1).optional(), 'The tables in the backend.', ['conversations']),
  description,
});

const parameter = z.strictObject({
  type: described(z.enum(PARAMETER_TYPES), 'The type of the argument.'),
  required: described(z.boolean().default(false), 'True if a call must have the argument.', true),
  default: described(z.unknown().optional(), 'The value if a call does not have the argument.', 'N5'),
  min: described(z.number().optional(), 'The least value of an integer or a number.', 1),
  max: described(z.number().optional(), 'The greatest value of an integer or a number.', 20),
  pattern: described(
    z.string().min(1).optional(),
    'The pattern of a string, as in JSON Schema. Its case counts.',
    '^N[1-5]$',
  ),
  values: described(
    z
      .array(z.union([z.string(), z.number()]))
      .min(1)
      .optional(),
    'The only values of a string, an integer or a number.',
    ['easy', 'hard'],
  ),
  items: described(z.enum(PARAMETER_TYPES).optional(), 'The type of the items of an array.'),
  description,
});

const tool = z.strictObject({
  id: described(
    plainId,
    'The id of the tool: the name in the calls of the agent.',
    'create_study_flashcards',
  ),
  function: described(
    z.string().optional(),
    'The function that carries the call out, for people.',
    'study_tools.create_study_flashcards',
  ),
  description,
  params: described(z.record(id, parameter).default({}), 'The arguments of a call. No others are accepted.', {
    count: { type: 'integer', min: 1, max: 20, default: 5 },
  }),
  returns: described(z.string().optional(), 'The result of a call, for people.', 'artifact'),
  sensitive: described(
    z.boolean().default(false),
    'True if a person must confirm each call, unless the permissions say otherwise.',
    true,
  ),
});

export const memoryAccess = z.strictObject(
  {
    read: described(ids.default([]), 'The stores that the specialist may read.', ['episodic']),
    write: described(ids.default([]), 'The stores that the specialist may write.', ['episodic']),
  },
  {
    error: ({ code, input }) =>
      code === 'invalid_type' && Array.isArray(input)
        ? 'must be { read: [episodic], write: [] }, because a list does not say which of the two it is'
        : undefined,
  },
);

const specialist = z.strictObject({
  id: described(namePart, 'The id of the specialist. Its agent is called `name.id`.', 'curator'),
  name: described(z.string().optional(), 'A name for people.', 'Curator'),
  description,
  persona: described(z.string().optional(), 'How the specialist speaks, for its prompt.', 'Inventive'),
  handles_intents: described(ids, 'The intents that the specialist handles.', ['create_flashcards']),
  uses_tools: described(ids.default([]), 'The tools that the specialist may call.', [
    'create_study_flashcards',
  ]),
  memory_access: described(
    memoryAccess.default({ read: [], write: [] }),
    'The stores that the specialist may read and write.',
    { read: ['episodic'], write: [] },
  ),
});

export const manifestDocument = z
  .strictObject({
    version,
    name: described(documentName, 'The id of the agent.', 'tutor'),
    description,
    memory: described(
      z
        .strictObject({
          stores: described(z.array(store).optional(), 'The stores of memory.', [
            { id: 'episodic', type: 'vector', backend: 'qdrant' },
          ]),
        })
        .optional(),
      'The memory of the agent.',
    ),
    entity_types: described(z.record(id, entityTypeDocument).optional(), 'Types of entities, by name.', {
      jlpt_level: { pattern: 'N[1-5]', case: 'upper' },
    }),
    intents: described(
      z.array(intentDocument).min(1, { error: 'must have at least one intent, the fallback' }),
      'What users may want. Exactly one intent is the fallback.',
      [{ id: 'chat', triggers: { fallback: true } }],
    ),
    tools: described(z.array(tool).optional(), 'The tools that there are.', [
      { id: 'create_study_flashcards', params: { topic: { type: 'string', required: true } } },
    ]),
    specialists: described(z.array(specialist).optional(), 'The sub-agents that handle intents.', [
      { id: 'curator', handles_intents: ['create_flashcards'] },
    ]),
  })
  .meta({
    title: 'manifest',
    description: 'What there is: the stores, intents, tools and specialists of an agent.',
  });
export type ManifestDocument = z.infer<typeof manifestDocument>;
