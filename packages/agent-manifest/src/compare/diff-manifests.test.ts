import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { diffManifests } from './diff-manifests.ts';

const agent = { type: 'agent', role: 'r', goal: 'g' };
const HASH = 'a'.repeat(64);

/** Returns the base with changed parts. A part that is a function gets the part of the base as its argument. */
function manifest(parts: Partial<typeof BASE> = {}): AgentManifest {
  return agentManifestDocument.parse({ ...BASE, ...parts });
}

const BASE = {
  apiVersion: 'coreason.ai/v2',
  kind: 'Recipe',
  metadata: { name: 'M', requires_auth: true } as object,
  interface: {
    inputs: { topic: { type: 'string', enum: ['a', 'b'] } },
    outputs: { mood: { type: 'string', enum: ['good', 'bad'] } },
  } as object,
  policy: { max_retries: 2 } as object,
  definitions: {
    look: { type: 'tool', uri: 'mcp://look', risk_level: 'safe' },
    pay: { type: 'tool', uri: 'mcp://pay', risk_level: 'critical' },
    w: {
      ...agent,
      name: 'Writer',
      tools: ['look', { uri: 'mcp://news', hash: HASH }],
      resources: {
        provider: 'p',
        model_id: 'm',
        pricing: { input_cost: 1, output_cost: 2 },
        constraints: { context_window_size: 8_000, rate_limit_rpm: 60 },
      },
    },
    payer: { ...agent, tools: ['pay'] },
    pack: {
      type: 'tool_pack',
      namespace: 'ns',
      metadata: { name: 'p', description: 'd', author: 'ann' },
      tools: [
        { type: 'tool', id: 'send', uri: 'mcp://send', risk_level: 'critical' },
        { type: 'tool', id: 'list', uri: 'mcp://list', risk_level: 'safe' },
      ],
      agents: [{ ...agent, id: 'clerk', tools: ['ns.send'] }],
      mcp_servers: [{ name: 'send', command: 'npx', args: ['-y', 'send'] }],
    },
    notes: { a: 1 },
  } as Record<string, object>,
  workflow: {
    start: 'a',
    steps: {
      a: { type: 'agent', agent: 'Writer', next: 'b' },
      b: { type: 'council', voters: ['w', 'payer'], inputs: { question: 'ok?' }, next: 'c' },
      c: { type: 'switch', cases: { 'inputs.x > 1': 'd', 'inputs.x > 0': 'a' }, default: 'd' },
      d: { type: 'agent', agent: 'w' },
    },
  } as { start: string; steps: Record<string, object> },
};

const { pack, w, pay, payer } = BASE.definitions;
const definitions = (changed: Record<string, object | undefined>) => {
  const all = Object.entries({ ...BASE.definitions, ...changed });
  return {
    definitions: Object.fromEntries(all.filter((entry): entry is [string, object] => entry[1] !== undefined)),
  };
};
const steps = (changed: Record<string, object>) => ({
  workflow: { ...BASE.workflow, steps: { ...BASE.workflow.steps, ...changed } },
});
const constraints = (limits: object) => ({
  resources: {
    provider: 'p',
    model_id: 'm',
    pricing: { input_cost: 1, output_cost: 2 },
    constraints: limits,
  },
});
const prices = (pricing: object) => ({
  resources: {
    ...{ provider: 'p', model_id: 'm' },
    pricing,
    constraints: { context_window_size: 8_000, rate_limit_rpm: 60 },
  },
});

/**
 * For each change of the base, the expected lines: `! path category change` if it gives more, `- …` if it does not, `?
 * …` if this is unknown.
 */
const changed: [title: string, parts: Partial<typeof BASE>, lines: string[]][] = [
  ['a retry that goes back to a higher default', { policy: {} }, ['! policy.max_retries GOVERNANCE changed']],
  [
    'a tool with an id of its own',
    definitions({ look: { ...BASE.definitions.look, id: 'see' } }),
    [
      '? definitions.look.id BREAKING changed',
      '- definitions.w.tools.look BREAKING removed',
      '! definitions.w.tools.see FEATURE added',
      '? definitions.look.name PATCH changed',
    ],
  ],
  [
    'a step that names an agent with other tools',
    steps({ d: { type: 'agent', agent: 'payer' } }),
    ['! workflow.steps.d.agent GOVERNANCE changed'],
  ],
  ['a step that names the same agent by its key', steps({ a: { type: 'agent', agent: 'w', next: 'b' } }), []],
  [
    'a new step that asks an agent that the workflow asked before',
    steps({ e: { type: 'agent', agent: 'w' } }),
    ['? workflow.steps.e FEATURE added'],
  ],
  [
    'a new step that asks an agent for the first time',
    steps({ e: { type: 'agent', agent: 'clerk' } }),
    ['! workflow.steps.e FEATURE added'],
  ],
  [
    'a voter that is asked for the first time',
    steps({
      b: { type: 'council', voters: ['clerk', 'w', 'payer'], inputs: { question: 'ok?' }, next: 'c' },
    }),
    ['! workflow.steps.b.voters.clerk GOVERNANCE added'],
  ],
  [
    'a step that names a model, which has no limits',
    steps({ d: { type: 'agent', agent: 'gpt-4' } }),
    ['! workflow.steps.d.agent GOVERNANCE changed'],
  ],
  [
    'a name that another agent takes',
    definitions({ w: { ...w, name: 'W' }, payer: { ...payer, name: 'Writer' } }),
    [
      '! workflow.steps.a.agent GOVERNANCE changed',
      '? definitions.payer.name PATCH changed',
      '? definitions.w.name PATCH changed',
    ],
  ],
  [
    'a key that takes the name of an agent',
    definitions({ Writer: { ...agent, tools: ['pay'] } }),
    ['! workflow.steps.a.agent GOVERNANCE changed', '! definitions.Writer FEATURE added'],
  ],
  [
    'a renamed agent that may do the same',
    {
      ...definitions({ payer: undefined, cashier: payer }),
      ...steps({ b: { type: 'council', voters: ['w', 'cashier'], inputs: { question: 'ok?' }, next: 'c' } }),
    },
    [
      '? definitions.payer BREAKING removed',
      '? workflow.steps.b.voters.cashier GOVERNANCE added',
      '? workflow.steps.b.voters.payer GOVERNANCE removed',
      '? definitions.cashier FEATURE added',
    ],
  ],
  [
    'a second agent that may do the same',
    definitions({ cashier: payer }),
    ['! definitions.cashier FEATURE added'],
  ],
  ['an agent without tools', definitions({ poet: agent }), ['? definitions.poet FEATURE added']],
  [
    'a rating for an address that had none',
    definitions({ news: { type: 'tool', uri: 'mcp://news', risk_level: 'safe' } }),
    ['! definitions.w.tools.news GOVERNANCE changed', '? definitions.news FEATURE added'],
  ],
  [
    'a tool that moves into a pack without a namespace, with less risk',
    definitions({
      pay: undefined,
      till: {
        ...pack,
        namespace: undefined,
        agents: [],
        mcp_servers: [],
        tools: [{ ...pay, id: 'pay', risk_level: 'safe' }],
      },
    }),
    [
      '? definitions.pay BREAKING removed',
      '! definitions.payer.tools.pay GOVERNANCE changed',
      '? definitions.till FEATURE added',
    ],
  ],
  [
    'less risk in a pack whose tools stand in another order',
    definitions({
      pack: {
        ...pack,
        tools: [
          { type: 'tool', id: 'list', uri: 'mcp://list', risk_level: 'safe' },
          { type: 'tool', id: 'send', uri: 'mcp://send', risk_level: 'standard' },
        ],
      },
    }),
    ['! definitions.pack.tools.send.risk_level GOVERNANCE changed'],
  ],
  [
    'less risk beside the name of the same member',
    definitions({
      pack: {
        ...pack,
        tools: [
          { type: 'tool', id: 'send', uri: 'mcp://send', risk_level: 'safe' },
          { type: 'tool', id: 'list', uri: 'mcp://list', risk_level: 'safe' },
          'send',
        ],
      },
    }),
    [
      '? definitions.pack.tools.send GOVERNANCE added',
      '! definitions.pack.tools.send.risk_level GOVERNANCE changed',
    ],
  ],
  [
    'a tool for an agent of a pack',
    definitions({
      pack: { ...pack, agents: [{ ...agent, id: 'clerk', tools: ['ns.send', 'pay'] }] },
    }),
    ['! definitions.pack.agents.clerk.tools.pay GOVERNANCE added'],
  ],
  [
    'another namespace',
    definitions({
      pack: { ...pack, namespace: 'shop', agents: [{ ...agent, id: 'clerk', tools: ['shop.send'] }] },
    }),
    [
      '- definitions.pack.agents.clerk.tools.ns.send BREAKING removed',
      '? definitions.pack.namespace BREAKING changed',
      '! definitions.pack.agents.clerk.tools.shop.send GOVERNANCE added',
    ],
  ],
  [
    'another command of a server',
    definitions({ pack: { ...pack, mcp_servers: [{ name: 'send', command: 'npx', args: ['-y', 'evil'] }] } }),
    ['! definitions.pack.mcp_servers.send GOVERNANCE changed'],
  ],
  [
    'a second server of the same name',
    definitions({
      pack: {
        ...pack,
        mcp_servers: [
          { name: 'send', command: 'evil' },
          { name: 'send', command: 'npx', args: ['-y', 'send'] },
        ],
      },
    }),
    ['! definitions.pack.mcp_servers.send GOVERNANCE changed'],
  ],
  [
    'a pack with a server',
    definitions({
      more: {
        type: 'tool_pack',
        metadata: { name: 'm', description: 'd', author: 'eve' },
        mcp_servers: [{ name: 'pay', command: 'evil' }],
      },
    }),
    ['! definitions.more FEATURE added'],
  ],
  [
    'a definition of another type',
    definitions({ notes: { ...agent, tools: ['pay'] } }),
    ['! definitions.notes BREAKING changed'],
  ],
  ['a definition without a type', definitions({ notes: { a: 2 } }), ['? definitions.notes.a PATCH changed']],
  [
    'more model calls a minute',
    definitions({ w: { ...w, ...constraints({ context_window_size: 8_000, rate_limit_rpm: 61 }) } }),
    ['! definitions.w.resources.constraints.rate_limit_rpm RESOURCE changed'],
  ],
  [
    'no limit of model calls, and one of tokens',
    definitions({ w: { ...w, ...constraints({ context_window_size: 8_000, rate_limit_tpm: 5 }) } }),
    [
      '! definitions.w.resources.constraints.rate_limit_rpm RESOURCE removed',
      '- definitions.w.resources.constraints.rate_limit_tpm RESOURCE added',
    ],
  ],
  [
    'a lower price',
    definitions({ w: { ...w, ...prices({ input_cost: 0.5, output_cost: 3 }) } }),
    [
      '! definitions.w.resources.pricing.input_cost RESOURCE changed',
      '? definitions.w.resources.pricing.output_cost RESOURCE changed',
    ],
  ],
  [
    'the same price for a smaller unit',
    definitions({ w: { ...w, ...prices({ unit: 'TOKEN_1K', input_cost: 1, output_cost: 2 }) } }),
    ['? definitions.w.resources.pricing.unit RESOURCE changed'],
  ],
  [
    'an inline tool instead of a defined one',
    definitions({
      payer: {
        ...payer,
        tools: [{ type: 'inline', name: 'pay', description: 'd', parameters: { type: 'object' } }],
      },
    }),
    ['! definitions.payer.tools.pay GOVERNANCE changed'],
  ],
  [
    'the order of the cases of a switch',
    steps({ c: { type: 'switch', cases: { 'inputs.x > 0': 'a', 'inputs.x > 1': 'd' }, default: 'd' } }),
    ['? workflow.steps.c.cases GOVERNANCE changed'],
  ],
  [
    'another target and a new case',
    steps({
      c: {
        type: 'switch',
        cases: { 'inputs.x > 2': 'a', 'inputs.x > 1': 'a', 'inputs.x > 0': 'a' },
        default: 'd',
      },
    }),
    [
      '? workflow.steps.c.cases.inputs.x > 1 GOVERNANCE changed',
      '? workflow.steps.c.cases.inputs.x > 2 GOVERNANCE added',
    ],
  ],
  [
    'what a council decides without a majority',
    steps({
      b: {
        type: 'council',
        voters: ['payer', 'w'],
        inputs: { question: 'good?', undecided: 'approve' },
        next: 'c',
      },
    }),
    [
      '? workflow.steps.b.inputs.undecided GOVERNANCE added',
      '? workflow.steps.b.inputs.question FEATURE changed',
    ],
  ],
  [
    'a step of another type',
    steps({ b: { type: 'logic', code: 'x.py', next: 'c' } }),
    [
      '? workflow.steps.b.code GOVERNANCE added',
      '? workflow.steps.b.strategy GOVERNANCE removed',
      '? workflow.steps.b.type GOVERNANCE changed',
      '? workflow.steps.b.voters.payer GOVERNANCE removed',
      '? workflow.steps.b.voters.w GOVERNANCE removed',
      '? workflow.steps.b.inputs.question FEATURE removed',
    ],
  ],
  [
    'a narrower input and a wider output',
    {
      interface: {
        inputs: { topic: { type: 'string', enum: ['a'] } },
        outputs: { mood: { type: 'string', enum: ['bad', 'mixed', 'good'] } },
      },
    },
    ['? interface.inputs.topic BREAKING changed', '? interface.outputs.mood BREAKING changed'],
  ],
  [
    'a narrower output that is described',
    {
      interface: {
        inputs: { topic: { type: 'string', enum: ['b', 'a'] } },
        outputs: { mood: { type: 'string', title: 'Mood', enum: ['good'] } },
      },
    },
    ['? interface.outputs.mood FEATURE changed'],
  ],
  [
    'a form that refuses other inputs',
    {
      interface: {
        inputs: {
          type: 'object',
          required: ['topic'],
          properties: { topic: { type: 'string', enum: ['a', 'b'] } },
          additionalProperties: true,
        },
        outputs: { mood: { type: 'string', enum: ['good', 'bad'] } },
      },
    },
    ['? interface.inputs FEATURE changed'],
  ],
  [
    'no authentication any more',
    { metadata: { name: 'M', requires_auth: false, 'x-design': { x: 1 } } },
    ['! metadata.requires_auth GOVERNANCE changed'],
  ],
];

test.each(changed)('reports %s', (_title, parts, lines) => {
  expect(linesOf(manifest(), manifest(parts))).toEqual(lines);
});

function linesOf(old: AgentManifest, now: AgentManifest): string[] {
  const sign = (widens: boolean | null) => (widens === null ? '?' : widens ? '!' : '-');
  return diffManifests(old, now).changes.map(
    ({ path, category, change, widens }) => `${sign(widens)} ${path} ${category} ${change}`,
  );
}

test('reports that a schema refuses inputs that it accepted before', () => {
  const schema = { type: 'object', properties: { topic: { type: 'string' } } };
  const closed = { interface: { inputs: { ...schema, additionalProperties: false } } };
  expect(linesOf(manifest({ interface: { inputs: schema } }), manifest(closed))).toEqual([
    '? interface.inputs BREAKING changed',
  ]);
});

test('reports that an inline tool takes other arguments', () => {
  const calc = (parameters: object, description = 'adds') =>
    manifest(
      definitions({
        payer: { ...payer, tools: [{ type: 'inline', name: 'calc', description, parameters }] },
      }),
    );
  const one = { type: 'object', properties: { x: { enum: [1] } } };
  const two = { type: 'object', properties: { x: { enum: [1, 2] } } };
  expect(linesOf(calc(one), calc(two))).toEqual(['! definitions.payer.tools.calc GOVERNANCE changed']);
  expect(linesOf(calc(two), calc(one))).toEqual(['- definitions.payer.tools.calc GOVERNANCE changed']);
  expect(linesOf(calc(one), calc(one, 'counts'))).toEqual(['? definitions.payer.tools.calc PATCH changed']);
  expect(linesOf(calc(one), calc({ type: 'object' }))).toEqual([
    '! definitions.payer.tools.calc GOVERNANCE changed',
  ]);
});

test('reports the lower price of a renamed agent', () => {
  const clerk = (key: string, cost: number) =>
    manifest(definitions({ [key]: { ...payer, ...prices({ input_cost: cost, output_cost: 2 }) } }));
  expect(linesOf(clerk('one', 2), clerk('two', 2))).toEqual([
    '? definitions.one BREAKING removed',
    '? definitions.two FEATURE added',
  ]);
  expect(linesOf(clerk('one', 2), clerk('two', 1))).toEqual([
    '? definitions.one BREAKING removed',
    '! definitions.two FEATURE added',
  ]);
});

test('compares many steps that name many tools quickly', () => {
  const tools = Array.from({ length: 3_000 }, (_, at) => `mcp://t${at}`);
  const many = (key: string) =>
    manifest({
      ...definitions({ one: { ...agent, tools }, two: { ...agent, tools } }),
      ...steps(
        Object.fromEntries(
          Array.from({ length: 3_000 }, (_, at) => [`x${at}`, { type: 'agent', agent: key }]),
        ),
      ),
    });
  const [old, now] = [many('one'), many('two')];
  const start = performance.now();
  expect(diffManifests(old, now).changes).toHaveLength(3_000);
  expect(performance.now() - start).toBeLessThan(30_000);
});

test('reports a removed hash, but not a hash that is only written in another way', () => {
  const news = (hash?: string) =>
    manifest(definitions({ w: { ...w, tools: ['look', { uri: 'mcp://news', ...(hash && { hash }) }] } }));
  expect(linesOf(news(HASH), news(`sha256:${HASH.toUpperCase()}`))).toEqual([]);
  expect(linesOf(news(HASH), news())).toEqual(['! definitions.w.tools.news GOVERNANCE changed']);
  expect(linesOf(news(), news(HASH))).toEqual(['- definitions.w.tools.news GOVERNANCE changed']);
});

test('compares two manifests of a thousand agents quickly', () => {
  const tools = Array.from({ length: 20 }, (_, at) => `mcp://t${at}`);
  const many = (prefix: string) =>
    manifest({
      definitions: {
        ...BASE.definitions,
        ...Object.fromEntries(
          Array.from({ length: 1_000 }, (_, at) => [`${prefix}${at}`, { ...agent, tools }]),
        ),
      },
    });
  const [old, now] = [many('x'), many('y')];
  const start = performance.now();
  const { widens, changes } = diffManifests(old, now);
  expect(performance.now() - start).toBeLessThan(30_000);
  expect([widens, changes.length]).toEqual([false, 2_000]);
});
