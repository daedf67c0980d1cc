/** A mandate of a tutor, for the tests of turns and memory. */
import type { MandateDocument } from '../types.ts';

export const TUTOR: MandateDocument = {
  tools: ['make_cards', 'show_progress'],
  toolPolicies: {
    make_cards: { roles: ['user'] },
    show_progress: { roles: ['user'] },
  },
  governance: {
    roles: ['user', 'guest'],
    intents: [
      {
        id: 'make_cards',
        triggers: { keywords: ['cards'], patterns: [], fallback: false },
        entities: [{ name: 'count', type: 'integer', required: false, min: 1, max: 20, default: 5 }],
      },
      { id: 'chat', triggers: { keywords: [], patterns: [], fallback: true }, entities: [] },
    ],
    tools: {
      make_cards: { intents: ['make_cards'], defaults: { count: 5, level: 'N5' } },
      show_progress: { intents: ['chat'] },
    },
    memory_policies: {
      read: {
        user_isolation: true,
        intent_mapping: { make_cards: ['episodic'], chat: ['episodic', 'stm'] },
        max_results: { episodic: 5 },
        llm_cannot: ['select_store', 'set_query_params', 'bypass_user_filter'],
      },
      write: {
        triggers: { episodic: { event: 'interaction_complete', condition: 'system_evaluation' } },
        save_rules: {
          permanent: { patterns: ['my name is'], action: 'save', store: 'episodic', ttl: '1h', priority: 30 },
        },
        llm_cannot: ['block_save', 'force_save'],
      },
    },
    guardrails: {
      input: { max_length: 100, blocked_patterns: ['jailbreak'] },
      output: { blocked_content: [{ pii_detection: { types: ['email'], action: 'redact' } }] },
      agent: { max_tool_calls_per_turn: 2 },
    },
  },
};

export const USER = { id: 'u1', role: 'user' } as const;
