/** The part `memory_policies` of the permissions: what is read from memory, and what is saved. */
import { z } from 'zod';
import { described } from './described.ts';
import { readLengthCondition } from './length-condition.ts';
import { duration, ids, textPatternField } from './manifest-fields.ts';
import { id } from './scalars.ts';
import { withCode } from './shape-fault.ts';

export const READ_BY_MODEL = ['select_store', 'set_query_params', 'bypass_user_filter'] as const;
export const WRITE_BY_MODEL = [
  'decide_is_memorable',
  'decide_scope',
  'decide_category',
  'block_save',
  'force_save',
] as const;
/** The priorities of the save rules with these names. A rule with a higher priority is asked first. */
export const SAVE_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['session', 40],
  ['permanent', 30],
  ['ignore', 20],
  ['episodic', 10],
]);

const readPolicy = z.strictObject({
  user_isolation: described(
    z.boolean().default(true),
    'True if each person reads only their own data.',
    true,
  ),
  intent_mapping: described(
    z.record(id, ids).optional(),
    'The stores that may be read for each intent, in order. An intent without an entry has those of the fallback.',
    { chat: ['episodic', 'stm'] },
  ),
  max_results: described(
    z.record(id, z.int().min(1).max(10_000)).optional(),
    'The most results of a read, by store. Without an entry there is no limit.',
    { episodic: 5 },
  ),
  llm_cannot: described(
    z.array(z.enum(READ_BY_MODEL)).default([...READ_BY_MODEL]),
    'What the model must not choose about a read. Default: everything.',
    ['select_store'],
  ),
});

const saveTrigger = z.strictObject({
  event: described(
    z.enum(['interaction_complete', 'message_sent']),
    'The event after which the store may be written.',
  ),
  condition: described(
    z.enum(['system_evaluation', 'pattern_match_permanent', 'always', 'never']),
    'When the store is written. `system_evaluation`: if a save rule saves. `pattern_match_permanent`: if the rule `permanent` saves.',
  ),
});

const condition = z
  .unknown()
  .check(({ value, issues }) => {
    const read = readLengthCondition(value);
    if (read.ok) return;
    issues.push({ code: 'custom', input: value, message: read.message, ...withCode('CONDITION_INVALID') });
  })
  .meta({ type: 'string' }) as unknown as z.ZodType<string>;

const saveRule = z.strictObject({
  patterns: described(
    z.array(textPatternField).min(1).optional(),
    'The rule holds if one of these patterns matches the text of the user.',
    ['\\b(my name is|I am)\\s+\\w+'],
  ),
  condition: described(
    condition.optional(),
    'Comparisons of message_length and response_length, joined by `and` or by `or`.',
    'message_length > 50',
  ),
  action: described(
    z.string(),
    '`skip`, `save_to_<store>`, `save` with `store`, or `summarize_and_save`.',
    'save_to_semantic',
  ),
  store: described(id.optional(), 'The store of `save` and `summarize_and_save`.', 'semantic'),
  ttl: described(
    duration('36500d').optional(),
    'How long the saved text is remembered. Default: without a limit.',
    '24h',
  ),
  priority: described(
    z.int().optional(),
    'The rule with the highest priority is asked first. Required, except for session, permanent, ignore, episodic.',
    25,
  ),
});

const writePolicy = z.strictObject({
  triggers: described(
    z.record(id, saveTrigger).optional(),
    'When each store may be written. A store without an entry is never written.',
    { episodic: { event: 'interaction_complete', condition: 'system_evaluation' } },
  ),
  save_rules: described(z.record(id, saveRule).optional(), 'The rules that decide what is saved, by name.', {
    ignore: { patterns: ['^(hi|hello)$'], action: 'skip' },
  }),
  llm_cannot: described(
    z.array(z.enum(WRITE_BY_MODEL)).default([...WRITE_BY_MODEL]),
    'What the model must not choose about a save. Default: everything.',
    ['force_save'],
  ),
});

export const memoryPoliciesDocument = z.strictObject({
  core_principle: described(
    z.literal('system_decides_memory').optional(),
    'If this field is set, the model chooses nothing about memory. The lists `llm_cannot` then have no effect.',
  ),
  read: described(readPolicy.optional(), 'What may be read.'),
  write: described(writePolicy.optional(), 'What is saved.'),
});
export type MemoryPoliciesDocument = z.infer<typeof memoryPoliciesDocument>;
