/** A manifest and a policy for tests: a tutor with two tools and two specialists. */
import { type LoadedManifest, loadManifest, type ManifestSources } from './load-manifest.ts';
import { mergePatch } from './overlay/merge-patch.ts';

export const MANIFEST = {
  version: '1.0',
  name: 'tutor',
  memory: {
    stores: [
      { id: 'episodic', type: 'vector', backend: 'qdrant' },
      { id: 'semantic', type: 'graph', backend: 'neo4j' },
    ],
  },
  entity_types: { level: { pattern: 'N[1-5]', case: 'upper' } },
  intents: [
    { id: 'cards', triggers: { keywords: ['cards'] }, entities: [{ name: 'level', type: 'level' }] },
    { id: 'chat', triggers: { fallback: true } },
  ],
  tools: [
    { id: 'make_cards', params: { count: { type: 'integer', min: 1, max: 20, default: 5 } } },
    { id: 'change_plan', sensitive: true },
  ],
  specialists: [
    {
      id: 'curator',
      handles_intents: ['cards'],
      uses_tools: ['make_cards', 'change_plan'],
      memory_access: { read: ['episodic'] },
    },
  ],
};

export const POLICY = {
  version: '1.0',
  name: 'tutor-policy',
  roles: [{ id: 'guest' }, { id: 'user' }],
  tool_permissions: {
    make_cards: { allowed_roles: ['user'], rate_limit: { requests: 20, window: '1h' } },
    change_plan: { allowed_roles: ['user'] },
  },
  memory_policies: {
    core_principle: 'system_decides_memory',
    read: {
      intent_mapping: { cards: ['episodic'], chat: ['episodic'] },
      max_results: { episodic: 5 },
    },
    write: {
      triggers: { episodic: { event: 'interaction_complete', condition: 'system_evaluation' } },
      save_rules: {
        episodic: { condition: 'message_length > 50', action: 'summarize_and_save', ttl: '30d' },
      },
    },
  },
  guardrails: {
    input: { max_length: 4_000, blocked_patterns: ['jailbreak'] },
    output: { blocked_content: [{ pii_detection: true }, { profanity_filter: true }] },
    agent: { max_tool_calls_per_turn: 3 },
  },
  audit: { sensitive_fields: { redact: ['password'], hash: ['user_id'] } },
};

type Changes = { manifest?: object; policy?: object; overlay?: object } & Pick<ManifestSources, 'mode'>;

/** Loads the pair after merge patches. An overlay is that of the environment `test`. */
export function loadChanged({
  manifest = {},
  policy = {},
  overlay,
  mode = 'strict',
}: Changes): LoadedManifest {
  return loadManifest({
    manifest: JSON.stringify(mergePatch(MANIFEST, manifest)),
    policy: JSON.stringify(mergePatch(POLICY, policy)),
    mode,
    ...(overlay === undefined ? {} : { environment: 'test', overlay: JSON.stringify(overlay) }),
  });
}

/** Returns each fault as `CODE path`. */
export function codesOf(faults: LoadedManifest['warnings']): string[] {
  return faults.map(({ code, path }) => `${code} ${path}`);
}
