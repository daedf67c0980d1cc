/**
 * The documents of every compiled case load as files, and decide as the manifest says. The expected decisions come
 * from the answer of the case, not from the compiler.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileAgentManifest } from '@mandate/agent-manifest';
import { playCase, readCases } from '@mandate/cases';
import { readControlFiles } from '@mandate/documents';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const answer = z.object({
  agents: z.array(z.object({ id: z.string(), parent: z.string().optional() })),
  policies: z.array(
    z.object({
      id: z.string(),
      allowedTools: z.array(z.string()).optional(),
      allowedModels: z.array(z.string()).default([]),
      tools: z.array(z.string()).default([]),
      rateLimit: z.object({ maxCalls: z.int() }).optional(),
    }),
  ),
  confirm: z.array(z.tuple([z.string(), z.string()])),
});

type Answer = z.output<typeof answer>;

/** A case of our own: no case has an agent with both a tool and a limit of model calls. */
const LIMITED = {
  id: 'an agent with a tool and a limit of model calls',
  given: {
    manifest: {
      apiVersion: 'coreason.ai/v2',
      kind: 'Agent',
      metadata: { name: 'Desk' },
      definitions: {
        look: { type: 'tool', name: 'Look', uri: 'mcp://look', risk_level: 'safe' },
        clerk: {
          ...{ type: 'agent', name: 'Clerk', role: 'r', goal: 'g', tools: ['look'] },
          resources: {
            provider: 'p',
            model_id: 'gpt-4',
            constraints: { context_window_size: 8_000, rate_limit_rpm: 2 },
          },
        },
      },
    },
    options: {},
  },
  // biome-ignore lint/suspicious/noThenProperty: the word of the cases; the object is never awaited
  then: {
    agents: [{ id: 'desk' }, { id: 'desk.clerk', parent: 'desk' }],
    policies: [
      {
        id: 'desk',
        allowedTools: ['step.clerk'],
        allowedModels: ['gpt-4'],
        tools: ['look', 'step.clerk'],
      },
      { id: 'desk.clerk', allowedTools: ['look'], allowedModels: ['gpt-4'], tools: ['look', 'step.clerk'] },
      { id: 'desk.clerk.rpm', rateLimit: { maxCalls: 2 } },
    ],
    confirm: [],
  },
};

const compiling = [
  ...agentManifestCases('compile').filter(({ then }) => then.refused === undefined),
  LIMITED,
];

/** Arguments that every schema of the cases accepts. */
const ARGS = { a: 1 };

test.each(compiling)('$id decides as its manifest says', async ({ given, then }) => {
  const compiled = compileAgentManifest(agentManifestDocument.parse(given.manifest), given.options ?? {});
  if (!compiled.ok) throw new Error('refused');
  const folder = temporaryFolder();
  const documents = [
    ...compiled.agents.map((agent) => ({ kind: 'agent', ...agent })),
    ...compiled.policies.map((policy) => ({ kind: 'policy', ...policy })),
    ...compiled.rules.map((rule) => ({ kind: 'rule', ...rule })),
  ];
  writeFileSync(join(folder, 'compiled.yaml'), documents.map((one) => stringify(one)).join('---\n'));
  const warnings: string[] = [];
  const read = readControlFiles([folder], warnings);
  expect([read.agents.size, read.policies.size, read.rules.size, warnings]).toEqual([
    compiled.agents.length,
    compiled.policies.length,
    compiled.rules.length,
    [],
  ]);

  const cases = casesOf(answer.parse(then));
  writeFileSync(join(folder, 'compiled.test.yaml'), stringify({ version: 1, cases }));
  for (const one of readCases([folder], {})) {
    const { ok, steps } = await playCase(one, ({ reason }) => reason);
    expect(ok, `${one.name}: ${JSON.stringify(steps.filter(({ told }) => told.length > 0))}`).toBe(true);
  }
  expect(cases.length).toBeGreaterThan(2);
});

test('the cases have agents with and without tools, people who are asked, and limits of model calls', () => {
  const answers = compiling.map(({ then }) => answer.parse(then));
  const policies = answers.flatMap((one) => one.policies);
  expect(policies.some(({ allowedTools }) => allowedTools?.length === 0)).toBe(true);
  expect(policies.some(({ allowedTools = [] }) => allowedTools.length > 2)).toBe(true);
  expect(answers.some(({ confirm }) => confirm.length > 1)).toBe(true);
  expect(new Set(policies.flatMap(({ rateLimit }) => rateLimit?.maxCalls ?? []))).toEqual(
    new Set([0, 2, 30]),
  );
});

function casesOf(then: Answer): object[] {
  const own = then.agents[0]?.id ?? '';
  const families = then.agents.map(({ id }) => ({
    name: `nothing of ${id} is allowed after its family was stopped`,
    agent: id,
    steps: [
      { kill: { scope: 'subtree', agentId: own } },
      ...policyOf(then, id).tools.map((tool) => ({ ask: { tool, args: ARGS }, expect: 'AGENT_KILLED' })),
      { ask: { ...MODEL_CALL, model: 'gpt-4' }, expect: 'AGENT_KILLED' },
    ],
  }));
  return [
    ...then.agents.map(({ id }) => ({ name: `the tools of ${id}`, agent: id, steps: toolSteps(then, id) })),
    ...then.agents.map(({ id }) => ({ name: `the models of ${id}`, agent: id, steps: modelSteps(then, id) })),
    ...families,
  ];
}

function policyOf({ policies }: Answer, id: string) {
  const policy = policies.find((one) => one.id === id);
  if (policy === undefined) throw new Error(`no policy ${id}`);
  return policy;
}

function toolSteps(then: Answer, id: string): object[] {
  const { allowedTools = [], tools } = policyOf(then, id);
  const asks = new Set(then.confirm.flatMap(([agent, tool]) => (agent === id ? [tool] : [])));
  return [
    ...tools.map((tool) => ({ ask: { tool, args: ARGS }, expect: expectationOf(tool) })),
    { ask: { tool: 'no-such-tool' }, expect: 'UNKNOWN_TOOL' },
  ];

  function expectationOf(tool: string): object | string {
    if (!allowedTools.includes(tool)) return 'TOOL_NOT_ALLOWED';
    return asks.has(tool) ? { verdict: 'DEFER', code: 'APPROVAL_REQUIRED' } : 'ALLOW';
  }
}

const MODEL_CALL = { type: 'llm_call', inputTokens: 1, maxOutputTokens: 1 };

/** Model calls up to the limit a minute, one more, and then a tool, which the limit does not count. */
function modelSteps(then: Answer, id: string): object[] {
  const { allowedModels, allowedTools = [] } = policyOf(then, id);
  const [model] = allowedModels;
  const most = then.policies.find((one) => one.id === `${id}.rpm`)?.rateLimit?.maxCalls;
  const free = allowedTools.find((tool) => !then.confirm.some(([, asked]) => asked === tool));
  const other = { ask: { ...MODEL_CALL, model: 'claude-haiku-4-5' }, expect: 'MODEL_NOT_ALLOWED' };
  if (model === undefined) return [other];
  const ask = { ...MODEL_CALL, model };
  return [
    other,
    ...(most === 0 ? [] : [{ ask, times: most ?? 3, expect: 'ALLOW' }]),
    ...(most === undefined ? [] : [{ ask, expect: 'RATE_LIMIT_EXCEEDED' }]),
    ...(free === undefined ? [] : [{ ask: { tool: free }, expect: 'ALLOW' }]),
  ];
}
