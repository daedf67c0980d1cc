/**
 * The section `governance` of a policy: roles, intents, memory and guardrails, as the manifest and its permissions
 * define them (packages/manifest compiles them). Its fields have the names that they have in these files.
 */
import { z } from 'zod';
import { categoriesSection } from './categories-document.ts';
import { described } from './described.ts';
import { auditDocument, guardrailsDocument } from './guardrails-document.ts';
import { entityTypeDocument, intentDocument } from './intent-document.ts';
import { memoryAccess } from './manifest-document.ts';
import { ids } from './manifest-fields.ts';
import { memoryPoliciesDocument } from './memory-policies-document.ts';
import { id, parsedJson } from './scalars.ts';

const governedTool = z.strictObject({
  intents: described(
    ids.optional(),
    'The intents that give the tool. In a turn of another intent it may not be called. Absent: every intent.',
    ['create_flashcards'],
  ),
  defaults: described(
    z.record(id, parsedJson).optional(),
    'The values of arguments that a call does not have.',
    { count: 5 },
  ),
});

const governedSpecialist = z.strictObject({
  id: described(id, 'The id of the specialist.', 'curator'),
  handles_intents: described(ids, 'The intents that the specialist handles.', ['create_flashcards']),
});

/** What a specialist may do of all that its agent may do. */
const ofSpecialist = z.strictObject({
  handles_intents: described(ids, 'The intents in whose turns the specialist may act.', [
    'create_flashcards',
  ]),
  memory_access: described(memoryAccess, 'The stores that the specialist may read and write.', {
    read: ['episodic'],
    write: [],
  }),
});

export const governanceDocument = z.strictObject({
  roles: described(ids.optional(), 'The roles that people may have. Absent: roles are not asked.', ['user']),
  entity_types: described(z.record(id, entityTypeDocument).optional(), 'Types of entities, by name.', {
    jlpt_level: { pattern: 'N[1-5]', case: 'upper' },
  }),
  intents: described(
    z.array(intentDocument).min(1).optional(),
    'What users may want. Exactly one intent is the fallback.',
    [{ id: 'chat', triggers: { keywords: [], patterns: [], fallback: true }, entities: [] }],
  ),
  specialists: described(
    z.array(governedSpecialist).optional(),
    'The sub-agents that handle intents, in the order in which they are named.',
    [{ id: 'curator', handles_intents: ['create_flashcards'] }],
  ),
  tools: described(
    z.record(id, governedTool).optional(),
    'The tools by name, in the order of the manifest.',
    {
      create_study_flashcards: { intents: ['create_flashcards'], defaults: { count: 5 } },
    },
  ),
  memory_policies: described(
    memoryPoliciesDocument.optional(),
    'What is read from memory, and what is saved. Absent: nothing.',
  ),
  guardrails: described(guardrailsDocument.optional(), 'The limits of prompts, answers and turns.'),
  audit: described(auditDocument.optional(), 'What the audit marks, and what it must not contain.'),
  categories: described(
    categoriesSection.optional(),
    'The stores of memories, and what may be done in their categories.',
    { notes: { categories: { standup: { policies: { defaultTtl: 7 } } } } },
  ),
  specialist: described(
    ofSpecialist.optional(),
    'Makes this the policy of a specialist: what it may do of all that its agent may do.',
  ),
});
export type GovernanceDocument = z.infer<typeof governanceDocument>;
