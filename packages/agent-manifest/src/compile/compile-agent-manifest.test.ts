import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { compileAgentManifest } from './compile-agent-manifest.ts';
import type { CompiledAgentManifest, CompileOptions } from './compiled.ts';
import { slugOf } from './ids.ts';

const W = { type: 'agent', name: 'W', role: 'r', goal: 'g', model: 'gpt-4' };
const STEPS = { a: { type: 'agent', agent: 'w' } };

type Written = { metadata?: object; policy?: object; definitions?: object; steps?: object | null };

function compile(written: Written, options: CompileOptions = {}) {
  const { metadata = {}, policy, definitions = { w: W }, steps = STEPS } = written;
  const manifest = agentManifestDocument.parse({
    apiVersion: 'coreason.ai/v2',
    kind: steps === null ? 'Agent' : 'Recipe',
    metadata: { name: 'M', ...metadata },
    ...(policy && { policy }),
    definitions,
    ...(steps && { workflow: { start: Object.keys(steps)[0], steps } }),
  });
  return compileAgentManifest(manifest, options);
}

function compiled(written: Written, options?: CompileOptions): CompiledAgentManifest {
  const result = compile(written, options);
  if (!result.ok) throw new Error(result.refusals.map(({ code, path }) => `${code} ${path}`).join(', '));
  return result;
}

function policyIn({ policies }: CompiledAgentManifest, id: string) {
  return policies.find((policy) => policy.id === id);
}

test.each([
  ['Crème Brûlée', 'creme-brulee'],
  ['ﬁle №5', 'file-no5'],
  ['--', null],
  ['ß', null],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ['x'.repeat(200), 'x'.repeat(64)],
])('turns the name %j into the id %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

const inline = (fields: object = {}) => ({
  ...{ type: 'inline', name: 'f', description: 'd', parameters: { type: 'object' } },
  ...fields,
});
const tool = (fields: object = {}) => ({
  ...{ type: 'tool', name: 'T', uri: 'mcp://t', risk_level: 'safe' },
  ...fields,
});
const resources = (constraints: object) => ({
  resources: {
    provider: 'p',
    model_id: 'gpt-4',
    constraints: { context_window_size: 8_000, ...constraints },
  },
});
const pricing = { input_cost: 1e-7, output_cost: 0 };
const HASH = 'a'.repeat(64);

test.each<[what: string, written: Written, options: CompileOptions, refused: string]>([
  ['an id with a star', {}, { id: 'a*' }, 'COMPILE_ID_INVALID options.id'],
  ['an id with a blank', {}, { id: 'a b' }, 'COMPILE_ID_INVALID options.id'],
  ['an id that is too long', {}, { id: 'a'.repeat(201) }, 'COMPILE_ID_INVALID options.id'],
  [
    'a budget that is no amount',
    {},
    { maxCostTotal: 0.0000001 },
    'COMPILE_OPTION_INVALID options.maxCostTotal',
  ],
  ['a negative budget', {}, { maxCostTotal: -1 }, 'COMPILE_OPTION_INVALID options.maxCostTotal'],
  [
    'a model that would be a pattern',
    { definitions: { w: { ...W, model: '*' } } },
    {},
    'MODEL_INVALID definitions.w.model',
  ],
  [
    'a model of a step that would be a pattern',
    { steps: { a: { type: 'agent', agent: 'gpt-*' } } },
    {},
    'MODEL_INVALID workflow.steps.a.agent',
  ],
  [
    'a voter without a model',
    {
      definitions: { w: W, v: { ...W, model: undefined, name: 'V' } },
      steps: { a: { type: 'council', voters: ['w', 'v'] } },
    },
    {},
    'MODEL_MISSING definitions.v.model',
  ],
  [
    'an agent in a pack without a model',
    {
      definitions: {
        k: {
          type: 'tool_pack',
          metadata: { name: 'k', description: 'd', author: 'a' },
          agents: [{ ...W, id: 'clerk', model: undefined }],
        },
      },
      steps: null,
    },
    {},
    'MODEL_MISSING definitions.k.agents.0.model',
  ],
  [
    'two agents of one policy',
    { definitions: { w: { ...W, ...resources({ rate_limit_rpm: 1 }) }, 'w.rpm': { ...W, name: 'R' } } },
    {},
    'COMPILE_ID_CLASH definitions.w.rpm',
  ],
  [
    'a tool that is called as a step is',
    { definitions: { t: tool({ id: 'step.a' }), w: { ...W, tools: ['t'] } } },
    {},
    'TOOL_NAME_CLASH definitions.w.tools.0',
  ],
  [
    'two tools of one name',
    { definitions: { w: { ...W, tools: ['mcp://a/b'] }, v: { ...W, name: 'V', tools: ['mcp://a.b'] } } },
    {},
    'TOOL_NAME_CLASH definitions.v.tools.0',
  ],
  [
    'a tool with two hashes',
    {
      definitions: {
        w: { ...W, tools: [{ uri: 'mcp://x', hash: HASH }] },
        v: { ...W, name: 'V', tools: [{ uri: 'mcp://x', hash: 'b'.repeat(64) }] },
      },
    },
    {},
    'TOOL_HASH_CLASH definitions.v.tools.0',
  ],
  [
    'a schema that cannot be checked in bounded time',
    {
      definitions: {
        w: {
          ...W,
          tools: [inline({ parameters: { type: 'object', properties: { a: { pattern: '(?=a)(?=b)' } } } })],
        },
      },
    },
    {},
    'SCHEMA_INVALID definitions.w.tools.0.parameters.properties.a.pattern',
  ],
  [
    'a price of a model that no step asks',
    {
      definitions: {
        w: W,
        v: { ...W, name: 'V', resources: { provider: 'p', model_id: 'm', pricing } },
      },
    },
    {},
    'PRICE_TOO_PRECISE definitions.v.resources.pricing.input_cost',
  ],
])('refuses %s', (_what, written, options, refused) => {
  const result = compile(written, options);
  const said = result.ok ? [] : result.refusals.map(({ code, path }) => `${code} ${path}`);
  expect(said[0]).toBe(refused);
});

test('refuses more tools than a policy can have', () => {
  const tools = Array.from({ length: 10_001 }, (_, at) => `mcp://t${at}`);
  expect(compile({ definitions: { w: { ...W, tools } } })).toMatchObject({
    ok: false,
    refusals: [{ code: 'COMPILE_TOO_LARGE', path: 'definitions' }],
  });
});

test.each([
  [60, 60_000],
  [86_400, 12 * 3_600_000],
])('gives each step a timeout of %d s as a lease of %d ms', (timeout, executionLeaseMs) => {
  const result = compiled({ policy: { timeout, max_steps: 7, max_retries: 2 } });
  expect(result.run).toEqual({ attempts: 3, maxSteps: 7, timeoutMs: timeout * 1_000 });
  expect(policyIn(result, 'm')?.toolPolicies).toEqual({ 'step.a': { executionLeaseMs } });
});

test('treats tools without a risk level as the option for such tools says', () => {
  const definitions = { w: { ...W, tools: ['mcp://x', inline()] } };
  const steps = { a: { type: 'logic', code: 'x' }, b: { type: 'agent', agent: 'w' } };
  const result = compiled({ definitions, steps }, { unratedRisk: 'safe' });
  expect(result.confirm).toEqual([]);
  expect(result.tools).toMatchObject({ x: { risk: null }, f: { risk: null } });
  expect(policyIn(result, 'm.w')?.toolPolicies).toEqual({
    f: { argumentValidation: { schema: { type: 'object' } } },
  });
});

test('asks a person about tools without a risk level if the manifest asks people, whatever the option says', () => {
  const definitions = { t: tool(), w: { ...W, tools: ['mcp://x', 't'] } };
  const policy = { human_in_the_loop: true };
  const { confirm } = compiled({ definitions, policy }, { unratedRisk: 'safe' });
  expect(confirm).toEqual([
    ['m', 'step.a'],
    ['m.w', 'x'],
  ]);
});

test('gives each risk level the meaning that the option states', () => {
  const definitions = {
    t: tool(),
    p: tool({ uri: 'mcp://p', risk_level: 'critical' }),
    w: { ...W, tools: ['t', 'p'] },
  };
  const risk = { safe: { cost: 0.01 }, critical: { requiresConfirmation: true, questionMs: 60_000 } };
  expect(policyIn(compiled({ definitions }, { risk }), 'm.w')?.toolPolicies).toEqual({
    t: { cost: 0.01 },
    p: { requiresConfirmation: true, questionMs: 60_000 },
  });
});

test('keeps the hash that one of two agents requires', () => {
  const definitions = {
    w: { ...W, tools: ['mcp://x'] },
    v: { ...W, name: 'V', tools: [{ uri: 'mcp://x', hash: `sha256:${HASH.toUpperCase()}` }] },
    u: { ...W, name: 'U', tools: [inline({ code_hash: HASH })] },
  };
  expect(compiled({ definitions }).tools).toEqual({
    x: { kind: 'remote', risk: null, uri: 'mcp://x', hash: HASH },
    f: { kind: 'inline', risk: null, hash: HASH },
  });
});

test('requires the hash of a remote tool whose address is that of a definition, with the risk of the definition', () => {
  const definitions = { t: tool(), w: { ...W, tools: [{ uri: 'MCP://t/', hash: HASH }] } };
  expect(compiled({ definitions }).tools).toEqual({
    t: { kind: 'tool', risk: 'safe', uri: 'mcp://t', hash: HASH },
  });
});

test('names agents and tools of a pack by their ids, the tools with the namespace', () => {
  const definitions = {
    k: {
      type: 'tool_pack',
      namespace: 'kit',
      metadata: { name: 'k', description: 'd', author: 'a' },
      tools: [{ ...tool(), id: 'pay' }],
      agents: [{ ...W, id: 'clerk', tools: ['kit.pay'] }],
    },
  };
  const result = compiled({ definitions, steps: null });
  expect(result.agents.map(({ id }) => id)).toEqual(['m', 'm.clerk']);
  expect(policyIn(result, 'm')?.allowedTools).toEqual(['step.clerk']);
  expect(policyIn(result, 'm.clerk')?.allowedTools).toEqual(['kit.pay']);
});

test('writes no @ of a model into the id of a policy, because @ begins the version of a policy', () => {
  const steps = { a: { type: 'agent', agent: 'claude@20240620' } };
  const { agents, policies, rules } = compiled({ steps });
  expect(agents.at(-1)?.id).toBe('m.claude@20240620');
  expect(policies.at(-1)?.id).toBe('m.claude%4020240620');
  expect(rules.at(-1)).toMatchObject({ policy: 'm.claude%4020240620', agents: ['m.claude@20240620'] });
});

test('cuts a name that is too long for an agent, and never cuts a character in two', () => {
  const { agents } = compiled({ metadata: { name: `a${'😀'.repeat(150)}` } });
  expect(agents[0]?.name).toHaveLength(200);
  expect(agents[0]?.name?.isWellFormed()).toBe(true);
});

test('compiles a manifest with agents that no workflow calls, and warns of what is missing', () => {
  const definitions = { v: { ...W, model: undefined, ...resources({}), resources: undefined }, w: W };
  expect(compiled({ definitions }).warnings).toMatchObject([
    { code: 'MODEL_MISSING', path: 'definitions.v.model' },
  ]);
  expect(compiled({ definitions }, { defaultModel: 'gpt-4' }).warnings).toEqual([]);
});

test('compiles a manifest without any agent', () => {
  const { agents, policies } = compiled({ definitions: {}, steps: null });
  expect(agents).toHaveLength(1);
  expect(policies).toEqual([{ version: 1, id: 'm', allowedTools: [], allowedModels: [], tools: [] }]);
});
