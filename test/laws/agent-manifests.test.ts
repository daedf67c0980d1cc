/**
 * Laws of compiled agent manifests: no agent is allowed a tool that its definition does not name, and no price of a
 * manifest makes a model cheaper.
 */
import { type CompiledAgentManifest, compileAgentManifest, estimatedMicros } from '@mandate/agent-manifest';
import { loadControl } from '@mandate/control';
import { type MandatesInForce, planInForce } from '@mandate/policy';
import type { Action } from '@mandate/schemas';
import { type AgentManifest, agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, deciderInABox, decisionOf, reporting, settlementOf } from '../decider-in-a-box.ts';
import { ALL_TOOLS, arbitraryAgentManifest, type DrawnManifest } from './arbitrary-agent-manifests.ts';
import { registered } from './registered.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const AT_MS = Date.parse('2026-03-01T12:00:00.000Z');

function compiledOf({ manifest }: DrawnManifest): CompiledAgentManifest {
  return compiledAs(manifest);
}

function compiledAs(manifest: AgentManifest): CompiledAgentManifest {
  const compiled = compileAgentManifest(manifest);
  if (compiled.ok) return compiled;
  throw new Error(JSON.stringify(compiled.refusals));
}

/** Returns the code with which the documents refuse an action whatever was done before, or null. */
function refusalOf(control: MandatesInForce, asked: object): string | null {
  const action = { id: 'x', tenant: 'acme', ...asked } as Action;
  return planInForce(control, 'acme', action, AT_MS).refusal?.code ?? null;
}

test('the documents of every manifest can be loaded, and equal the compiled documents', () => {
  fc.assert(
    fc.property(arbitraryAgentManifest, (drawn) => {
      const { agents, policies, rules } = compiledOf(drawn);
      const documents = [
        ...agents.map((agent) => ({ kind: 'agent', ...agent })),
        ...policies.map((policy) => ({ kind: 'policy', ...policy })),
        ...rules.map((rule) => ({ kind: 'rule', ...rule })),
      ];
      const read = loadControl(documents.map((one) => JSON.stringify(one)).join('\n---\n'));
      if (!read.ok) throw new Error(JSON.stringify(read.faults));
      expect([...read.documents.agents.values()]).toEqual(agents);
      expect([...read.documents.policies.values()]).toEqual(policies);
      expect([...read.documents.rules.values()]).toMatchObject(rules);
    }),
    { numRuns: runs(100) },
  );
});

test('no agent is allowed a tool that its definition does not name, and each agent is allowed all that it names', () => {
  let allowed = 0;
  let refused = 0;
  fc.assert(
    fc.property(arbitraryAgentManifest, (drawn) => {
      const control = registered(compiledOf(drawn));
      const steps = Object.keys(drawn.manifest.workflow?.steps ?? {}).map((key) => `step.${key}`);
      for (const tool of new Set([...ALL_TOOLS, ...steps])) {
        for (const [agentId, names] of drawn.toolsOf) {
          const code = refusalOf(control, { type: 'tool_call', agentId, tool, args: {} });
          if (names.has(tool)) expect(code).toBeNull();
          else expect(['TOOL_NOT_ALLOWED', 'UNKNOWN_TOOL']).toContain(code);
          if (code === null) allowed += 1;
          else refused += 1;
        }
        const isStep =
          drawn.manifest.workflow === undefined
            ? tool === 'step.w' && drawn.toolsOf.has('m.w')
            : steps.includes(tool);
        const ofOwn = refusalOf(control, { type: 'tool_call', agentId: 'm', tool, args: {} });
        if (isStep) expect(ofOwn).toBeNull();
        else expect(['TOOL_NOT_ALLOWED', 'UNKNOWN_TOOL']).toContain(ofOwn);
      }
    }),
    { numRuns: runs(200) },
  );
  expect(allowed).toBeGreaterThan(hits(1_000));
  expect(refused).toBeGreaterThan(hits(10_000));
});

test('each agent is allowed its own model, and no other model of the family', () => {
  fc.assert(
    fc.property(arbitraryAgentManifest, (drawn) => {
      const control = registered(compiledOf(drawn));
      for (const [agentId, own] of drawn.modelOf) {
        for (const model of [...drawn.modelOf.values(), 'gpt-5']) {
          const ask = { type: 'llm_call', agentId, model, inputTokens: 1, maxOutputTokens: 1 };
          expect(refusalOf(control, ask)).toBe(model === own ? null : 'MODEL_NOT_ALLOWED');
        }
      }
    }),
    { numRuns: runs(200) },
  );
});

test('a person is asked about each tool that is critical or has no risk level, and about each that is not safe if people are asked', () => {
  let asked = 0;
  fc.assert(
    fc.property(arbitraryAgentManifest, (drawn) => {
      const { tools, confirm, agents } = compiledOf(drawn);
      const asks = new Set(confirm.map((pair) => pair.join(' ')));
      const all = drawn.manifest.policy?.human_in_the_loop === true;
      for (const [agentId, names] of drawn.toolsOf) {
        expect(agents.map(({ id }) => id)).toContain(agentId);
        for (const name of names) {
          const risk = tools[name]?.risk;
          const must = risk === 'critical' || risk === null || (all && risk === 'standard');
          expect(asks.has(`${agentId} ${name}`)).toBe(must);
          asked += Number(must);
        }
      }
    }),
    { numRuns: runs(200) },
  );
  expect(asked).toBeGreaterThan(hits(200));
});

const micros = fc.oneof(
  fc.nat(3_000_000),
  fc.nat(60_000_000),
  fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
);
const price = fc.record({
  perRequestMicros: micros,
  inputMicrosPerMillion: micros,
  outputMicrosPerMillion: micros,
  perSecondMicros: fc.nat(1_000),
});
const tokens = fc.oneof(fc.nat(10), fc.nat(200_000), fc.nat(1_000_000_000));
const seconds = fc.oneof(fc.nat(1_000), fc.double({ min: 0, max: 1_000, noNaN: true }));
const size = fc.record({ inputTokens: tokens, maxOutputTokens: tokens, seconds });

test('a price of a manifest never makes a model cheaper than the kept price list', () => {
  const control = registered({
    agents: [{ id: 'w' }],
    policies: [{ id: 'p', allowedModels: ['gpt-4'] }],
    rules: [{ id: 'r', policy: 'p', agents: ['w'] }],
  });
  const reserved = (
    estimatedCostMicros: number | undefined,
    inputTokens: number,
    maxOutputTokens: number,
  ) => {
    const ask = { type: 'llm_call', agentId: 'w', model: 'gpt-4', inputTokens, maxOutputTokens };
    const action = { id: 'x', tenant: 'acme', ...ask, estimatedCostMicros } as Action;
    return planInForce(control, 'acme', action, AT_MS).reserveMicros;
  };
  let [cheaper, dearer] = [0, 0];
  fc.assert(
    fc.property(price, size, (one, of) => {
      const estimate = estimatedMicros(one, of);
      const listed = reserved(undefined, of.inputTokens, of.maxOutputTokens);
      const both = reserved(estimate, of.inputTokens, of.maxOutputTokens);
      expect(both).toBe(Math.max(listed, estimate));
      if (estimate < listed) cheaper += 1;
      else dearer += 1;
    }),
    { numRuns: runs(1_000) },
  );
  expect(Math.min(cheaper, dearer)).toBeGreaterThan(hits(100));
});

test('an estimate is at least what any smaller use costs by the same price, and at most a micro-dollar above the exact cost', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(price, size, share, share, share, (one, of, input, output, time) => {
      const used = {
        inputTokens: Math.floor(of.inputTokens * input),
        maxOutputTokens: Math.floor(of.maxOutputTokens * output),
        seconds: of.seconds * time,
      };
      const estimate = estimatedMicros(one, of);
      expect(estimate).toBeGreaterThanOrEqual(estimatedMicros(one, used));
      const exact =
        BigInt(of.inputTokens) * BigInt(one.inputMicrosPerMillion) +
        BigInt(of.maxOutputTokens) * BigInt(one.outputMicrosPerMillion) +
        1_000_000n * BigInt(one.perRequestMicros);
      if (estimate === Number.MAX_SAFE_INTEGER) return;
      expect(BigInt(estimate) * 1_000_000n).toBeGreaterThanOrEqual(exact);
      if (one.perSecondMicros > 0 && of.seconds > 0) return;
      expect(BigInt(estimate) * 1_000_000n - exact).toBeLessThan(1_000_000n);
    }),
    { numRuns: runs(1_000) },
  );
});

test('an estimate is at least the settled cost of the same tokens', async () => {
  const charged: number[] = [];
  await fc.assert(
    fc.asyncProperty(price, size, async (one, of) => {
      const box = deciderInABox([{ allowedModels: ['gpt-4'] }]);
      const inputTokens = Math.max(1, of.inputTokens);
      const { maxOutputTokens } = of;
      const estimatedCostMicros = estimatedMicros(one, { ...of, inputTokens });
      const call = { type: 'llm_call', model: 'gpt-4', inputTokens, maxOutputTokens, estimatedCostMicros };
      const [decided] = await box.answer([box.append(asking({ id: 'x', ...call }))]);
      const reservedMicros = decisionOf(decided).reservation?.micros ?? 0;
      const usage = { inputTokens, outputTokens: maxOutputTokens };
      const report = reporting({ actionId: 'x', usage, actualCostMicros: estimatedCostMicros });
      const [settled] = await box.answer([box.append(report)]);
      const { chargedMicros } = settlementOf(settled);
      expect(chargedMicros).toBeLessThanOrEqual(reservedMicros);
      charged.push(chargedMicros);
    }),
    { numRuns: runs(200) },
  );
  expect(new Set(charged).size).toBeGreaterThan(hits(50));
});

const TOOLS_EACH = 100;

/** Agents with a hundred tools each. They share a hundred tools, or have ten of their own and share ninety. */
function manyAgents(count: number, own: number): AgentManifest {
  const tool = (uri: string) => ({ type: 'tool', name: 'T', uri, risk_level: 'critical' });
  const shared = Array.from({ length: TOOLS_EACH - own }, (_, at) => `t${at}`);
  const agents = Array.from({ length: count }, (_, at) => {
    const tools = [...shared, ...Array.from({ length: own }, (_, nth) => `mcp://s${at}.example/${nth}`)];
    return [
      `a${at}`,
      { type: 'agent', name: `A ${at}`, role: 'r', goal: 'g', model: 'gpt-4', tools },
    ] as const;
  });
  return agentManifestDocument.parse({
    apiVersion: 'coreason.ai/v2',
    kind: 'Agent',
    metadata: { name: 'M' },
    definitions: Object.fromEntries([...shared.map((key) => [key, tool(`mcp://${key}.example`)]), ...agents]),
  });
}

test.each([0, 8])(
  'the documents of a thousand agents with a hundred tools each, %d of them not shared, grow in proportion to the manifest, and are made quickly',
  (own) => {
    const measured = [250, 1_000].map((count) => {
      const manifest = manyAgents(count, own);
      const startedMs = performance.now();
      const compiled = compileAgentManifest(manifest);
      const tookMs = performance.now() - startedMs;
      return { tookMs, bytes: JSON.stringify(compiled).length, ok: compiled.ok };
    });
    const [few, many] = measured;
    expect(measured.map(({ ok }) => ok)).toEqual([true, true]);
    expect(many?.bytes).toBeLessThan(5 * (few?.bytes ?? 0));
    expect(many?.bytes).toBeLessThan(20_000_000);
    expect(many?.tookMs).toBeLessThan(10_000);
  },
);

test('without the names of all tools in each policy, the same tools are allowed and unknown', () => {
  const control = registered(compiledAs(manyAgents(150, 8)));
  const codeOf = (agentId: string, tool: string) =>
    refusalOf(control, { type: 'tool_call', agentId, tool, args: {} });
  expect(codeOf('m.a7', 't7')).toBeNull();
  expect(codeOf('m.a7', 's7.example.3')).toBeNull();
  expect(codeOf('m.a7', 's8.example.3')).toBe('TOOL_NOT_ALLOWED');
  expect(codeOf('m.a7', 'step.a7')).toBe('TOOL_NOT_ALLOWED');
  expect(codeOf('m.a7', 'other')).toBe('UNKNOWN_TOOL');
  expect(codeOf('m', 'step.a7')).toBeNull();
  expect(codeOf('m', 't7')).toBe('TOOL_NOT_ALLOWED');
});
