/**
 * Measures `plan` and `decide` for each kind of action of a manifest, beside a tool call under the same policy, and
 * the classification of a long prompt. The facts of the ledger are made before the measurement.
 */
import { decide, type Mandate, mandatesOfFile, plan } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { contentFinders } from '@mandate/privacy';
import { type Action, isUnit, type Plan, type StepFacts, wireTime } from '@mandate/schemas';
import { compare } from '../measure/compare.ts';
import { measureBatches } from '../measure/work.ts';
import type { Row } from '../row.ts';

const AT_MS = Date.parse('2026-06-01T12:00:00Z');
const PAIRS = 5;
const BATCH = 200;
const BATCHES = 50;
const PERSON = { id: 'u1', role: 'user' };

/** 50 intents with four patterns each, as in the largest manifests. */
const INTENTS = Array.from({ length: 50 }, (_, at) => ({
  id: `intent_${at}`,
  triggers: {
    keywords: [`word${at}`, `thing${at}`],
    patterns: Array.from({ length: 4 }, (__, n) => `(make|create)\\s+(me\\s+)?kind${at}x${n}`),
  },
}));

const DOCUMENT = {
  version: 1,
  id: 'tutor',
  agents: ['tutor'],
  toolPolicies: {
    quiz: { roles: ['user'], rateLimit: { maxCalls: 100_000, windowMs: 3_600_000, scope: 'principal' } },
  },
  governance: {
    roles: ['user'],
    intents: [...INTENTS, { id: 'chat', triggers: { fallback: true } }],
    tools: { quiz: { intents: ['chat'], defaults: { count: 3 } } },
    memory_policies: {
      core_principle: 'system_decides_memory',
      read: { intent_mapping: { chat: ['episodic', 'semantic'] }, max_results: { episodic: 5 } },
      write: {
        triggers: { semantic: { event: 'interaction_complete', condition: 'system_evaluation' } },
        save_rules: { permanent: { patterns: ['\\bmy name is\\s+\\w+'], action: 'save_to_semantic' } },
      },
    },
    guardrails: {
      output: { blocked_content: [{ pii_detection: true }] },
      agent: { max_tool_calls_per_turn: 10_000, timeout_seconds: 43_200 },
    },
    categories: {
      notes: { categories: { standup: { policies: { defaultTtl: 7, maxContentLength: 5_000 } } } },
    },
  },
};

const SHORT = 'I would like to talk about the lesson of last week, and what comes next.';
const LONG =
  `${'The lesson of last week was about verbs, and I did not follow all of it. '.repeat(60)}`.slice(0, 4_000);

/** The action of each kind, without its id. */
const KINDS: Readonly<Record<string, object>> = {
  prompt: { type: 'prompt', text: SHORT },
  memory_read: { type: 'memory_read', turnId: 'p' },
  memory_write: { type: 'memory_write', event: 'interaction_complete', text: { user: SHORT } },
  output: { type: 'output', text: SHORT },
  memory_operation: {
    type: 'memory_operation',
    operation: 'createMemory',
    store: 'notes',
    category: '/standup',
    content: SHORT,
  },
};
const TOOL_CALL = { type: 'tool_call', tool: 'quiz', args: {}, turnId: 'p' };

export async function governedKinds(): Promise<Row[]> {
  const mandate = mandateOf(DOCUMENT);
  const rows: Row[] = [];
  for (const [kind, action] of Object.entries(KINDS)) rows.push(...(await rateOf(kind, mandate, action)));
  const long = { type: 'prompt', text: LONG };
  rows.push(...(await rateOf('prompt of 4,000 characters, 50 intents, 200 patterns', mandate, long)));
  return rows;
}

function rateOf(what: string, mandate: Mandate, action: object): Promise<Row[]> {
  return compare({
    pairs: PAIRS,
    ours: () => decided(mandate, action),
    rival: { what: 'a tool call in a turn', run: () => decided(mandate, TOOL_CALL) },
    figures: { perSecond: { what: `plan + decide, ${what}`, unit: '/s' } },
  });
}

async function decided(mandate: Mandate, action: object) {
  let allowed = 0;
  const work = await measureBatches({ batches: BATCHES, make: () => asked(mandate, action) }, (batch) => {
    for (const { action, facts } of batch)
      if (decide(planOf(action, mandate), facts).verdict === 'ALLOW') allowed += 1;
  });
  if (allowed !== BATCH * BATCHES) throw new Error(`allowed ${allowed} of ${BATCH * BATCHES}`);
  return work;
}

let made = 0;

function asked(mandate: Mandate, fields: object): { action: Action; facts: StepFacts }[] {
  return Array.from({ length: BATCH }, () => {
    made += 1;
    const action = { id: `a${made}`, agentId: 'tutor', principal: PERSON, ...fields } as Action;
    return { action, facts: withinLimits(planOf(action, mandate)) };
  });
}

function planOf(action: Action, mandate: Mandate): Plan {
  return plan(action, mandate, AT_MS, action, 0, contentFinders);
}

/** Returns the facts of a ledger that knows the turn `p`. The call fits into the turn. */
function withinLimits({ limits, leaseMs }: Plan): StepFacts {
  return {
    ...{ epoch: 'ep', sequence: 1, atMs: AT_MS, first: null, unremembered: false, late: false, kill: null },
    limits: limits.map(({ kind }) => {
      if (kind === 'budget') return { kind, spentMicros: 0, ok: true, retryAfterMs: null };
      if (isUnit(kind)) return { kind, used: 0, ok: true, retryAfterMs: null };
      if (kind === 'rate') return { kind, calls: 0, ok: true, retryAfterMs: null };
      if (kind === 'confirmation') return { kind, ok: true, grant: 'granted', waiting: 0 };
      return { kind, ok: true, fails: null, agentId: 'tutor', intent: 'chat', openedAtMs: AT_MS, calls: 0 };
    }),
    ...{ chargedMicros: 0, cumulativeMicros: 0, leaseExpiresAtMs: AT_MS + leaseMs },
  };
}

function mandateOf(document: object): Mandate {
  const loaded = loadMandates(JSON.stringify(document));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const action = {
    id: 'a',
    agentId: 'tutor',
    type: 'prompt',
    text: '',
    requestedAt: wireTime(AT_MS),
  } as Action;
  const { mandate } = mandatesOfFile(loaded.mandates, 1).mandateFor('default', action, AT_MS);
  if (mandate === null) throw new Error('no mandate names the agent');
  return mandate;
}
