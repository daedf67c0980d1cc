/** Actions that a manifest refuses, one for each code and cause, and what an explanation says must change. */
import { contentFinders } from '@mandate/privacy';
import { asking, type Box } from '../decider-in-a-box.ts';

type Asked = { id: string; [field: string]: unknown };

export type GovernedCase = {
  mandate: object;
  asked: Asked;
  before?(box: Box, asked: Asked): Promise<unknown>;
  needs: Record<string, string[]>;
  as: 'new-id';
};

const USER = { id: 'u1', role: 'user' };
const PROMPT = { id: 'p1', type: 'prompt', text: 'make flashcards', principal: USER };
const READ = { id: 'a', type: 'memory_read', principal: USER };
const CALL = { id: 'a', turnId: 'p1', principal: USER };
const INTENTS = [
  { id: 'chat', triggers: { fallback: true } },
  { id: 'cards', triggers: { keywords: ['flashcards'] } },
];
const TURNS = {
  governance: {
    intents: INTENTS,
    tools: { get_user: { intents: ['cards'] }, search: { intents: ['chat'] } },
    guardrails: { agent: { max_tool_calls_per_turn: 1, timeout_seconds: 60 } },
  },
};
const MEMORY = {
  governance: {
    intents: INTENTS,
    memory_policies: { read: { intent_mapping: { chat: ['episodic'], cards: ['semantic'] } } },
  },
};
const CATEGORIES = {
  governance: {
    categories: {
      notes: {
        policies: { subcategoryCreation: false },
        categories: { standup: { policies: { maxContentLength: 3, permissions: { delete: false } } } },
      },
    },
  },
};
const CREATE = { operation: 'createMemory', store: 'notes', category: 'standup', content: 'hi' };
const ofCategories = (fields: object) => ({ id: 'a', type: 'memory_operation', ...CREATE, ...fields });

async function ask(box: Box, asked: Asked): Promise<void> {
  await box.answer([box.append(asking(asked))]);
}
const opened = (box: Box) => ask(box, PROMPT);

export const GOVERNED_CASES: readonly (readonly [string, GovernedCase])[] = [
  [
    'ROLE_NOT_ALLOWED',
    {
      mandate: { governance: { roles: ['user', 'admin'] } },
      asked: { id: 'a', principal: { id: 'u1', role: 'guest' } },
      needs: {
        'role-known': [
          'a person with one of these roles: "user", "admin"',
          '"guest" among the declared roles',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'ROLE_NOT_ALLOWED',
    {
      mandate: { toolPolicies: { get_user: { roles: ['admin'] } } },
      asked: { id: 'a' },
      needs: {
        'role-allowed': [
          'a person with one of these roles: "admin"; or another tool',
          'the role among the roles that may use "get_user"',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'ROLE_NOT_ALLOWED',
    {
      mandate: { toolPolicies: { get_user: { roles: [] } } },
      asked: { id: 'a', principal: { id: 'u1', role: 'guest' } },
      needs: {
        'role-allowed': [
          'another tool: nobody may use this one',
          '"guest" among the roles that may use "get_user"',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'CONTENT_TOO_LONG',
    {
      mandate: { governance: { guardrails: { input: { max_length: 3 } } } },
      asked: PROMPT,
      needs: {
        'input-length': [
          'a prompt of at most 3 characters',
          'a governance.guardrails.input.max_length of at least 15',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'CONTENT_TOO_LONG',
    {
      mandate: { governance: { guardrails: { output: { max_length: 3 } } } },
      asked: { id: 'a', type: 'output', text: 'here' },
      needs: {
        'output-length': [
          'an answer of at most 3 characters',
          'a governance.guardrails.output.max_length of at least 4',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'CONTENT_TOO_LONG',
    {
      mandate: CATEGORIES,
      asked: ofCategories({ content: 'four' }),
      needs: {
        'category-policies': [
          'a text of at most 3 characters',
          'a maxContentLength of at least 4 in the policies of "/standup"',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'CONTENT_TOO_LONG',
    {
      mandate: CATEGORIES,
      asked: {
        ...{ id: 'a', type: 'memory_operation', operation: 'setDescription', store: 'notes' },
        ...{ path: 'standup', description: 'x'.repeat(501) },
      },
      needs: { 'category-policies': ['a text of at most 500 characters'] },
      as: 'new-id',
    },
  ],
  [
    'CONTENT_BLOCKED',
    {
      mandate: { governance: { guardrails: { input: { blocked_patterns: ['secret', 'flash'] } } } },
      asked: PROMPT,
      needs: { 'input-patterns': ['a prompt that the blocked pattern number 2 does not match'] },
      as: 'new-id',
    },
  ],
  [
    'CONTENT_BLOCKED',
    {
      mandate: {
        governance: {
          guardrails: {
            output: { blocked_content: [{ profanity_filter: { words: ['darn'], action: 'block' } }] },
          },
        },
      },
      async before(box) {
        box.context = { ...box.context, finders: contentFinders };
      },
      asked: { id: 'a', type: 'output', text: 'darn it' },
      needs: { 'output-content': ['an answer without profanity'] },
      as: 'new-id',
    },
  ],
  [
    'ORIGIN_NOT_ALLOWED',
    {
      mandate: MEMORY,
      asked: { ...READ, stores: ['episodic'] },
      needs: {
        'read-choices': [
          'no "stores" in the action, or another origin (origins.stores) if a program chose it',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'ORIGIN_NOT_ALLOWED',
    {
      mandate: CATEGORIES,
      asked: ofCategories({ existing: [], origins: { existing: 'model' } }),
      needs: { 'category-policies': ['"existing" from the system'] },
      as: 'new-id',
    },
  ],
  [
    'PRINCIPAL_MISMATCH',
    {
      mandate: MEMORY,
      asked: { ...READ, filter: { user_id: 'u2' }, origins: { filter: 'user' } },
      needs: { 'read-isolation': ['no filter for another person, or an action of that person'] },
      as: 'new-id',
    },
  ],
  [
    'PRINCIPAL_MISMATCH',
    {
      mandate: TURNS,
      before: opened,
      asked: { ...CALL, principal: { id: 'u2', role: 'user' } },
      needs: { turn: ['the person of the turn', 'a new turn, opened by another prompt'] },
      as: 'new-id',
    },
  ],
  [
    'STORE_NOT_ALLOWED',
    {
      mandate: MEMORY,
      asked: { ...READ, stores: ['semantic'], origins: { stores: 'system' } },
      needs: { 'stores-allowed': ['only these stores: "episodic"'] },
      as: 'new-id',
    },
  ],
  [
    'STORE_NOT_ALLOWED',
    {
      mandate: CATEGORIES,
      asked: ofCategories({ store: 'other' }),
      needs: {
        'category-policies': [
          'a store of the config of categories',
          'the store "other" in the config of categories',
        ],
      },
      as: 'new-id',
    },
  ],
  [
    'TOOL_NOT_FOR_INTENT',
    {
      mandate: TURNS,
      before: opened,
      asked: { ...CALL, tool: 'search' },
      needs: { turn: ['a turn with an intent that gives it; the intent of this one is "cards"'] },
      as: 'new-id',
    },
  ],
  [
    'TURN_UNKNOWN',
    {
      mandate: TURNS,
      asked: CALL,
      needs: { turn: ['an allowed prompt of the agent, with its id as turnId of the action'] },
      as: 'new-id',
    },
  ],
  [
    'TURN_LIMIT_EXCEEDED',
    {
      mandate: TURNS,
      async before(box) {
        await opened(box);
        await ask(box, { ...CALL, id: 'b' });
      },
      asked: CALL,
      needs: { turn: ['a new turn, opened by another prompt', 'a limit of at least 2 calls'] },
      as: 'new-id',
    },
  ],
  [
    'TURN_LIMIT_EXCEEDED',
    {
      mandate: TURNS,
      async before(box) {
        await opened(box);
        box.clock.advance(60_000);
      },
      asked: CALL,
      needs: { turn: ['a new turn, opened by another prompt'] },
      as: 'new-id',
    },
  ],
  [
    'OPERATION_NOT_PERMITTED',
    {
      mandate: CATEGORIES,
      asked: {
        id: 'a',
        type: 'memory_operation',
        operation: 'deleteMemory',
        store: 'notes',
        category: 'standup',
      },
      needs: {
        'category-policies': ['another category', 'permissions.delete true in the policies of "/standup"'],
      },
      as: 'new-id',
    },
  ],
  [
    'SUBCATEGORY_CREATION_NOT_ALLOWED',
    {
      mandate: CATEGORIES,
      asked: {
        id: 'a',
        type: 'memory_operation',
        operation: 'createCategory',
        store: 'notes',
        path: 'plans',
      },
      needs: {
        'category-policies': ['a category that exists', 'subcategoryCreation true in the policies of "/"'],
      },
      as: 'new-id',
    },
  ],
];
