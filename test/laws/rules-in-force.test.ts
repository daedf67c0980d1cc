/** Tests that rules resolved with a cache give the same result as without a cache, whatever was resolved before. */

import {
  type AgentAttributes,
  compileCondition,
  compilePolicy,
  compileRule,
  type NamedPolicy,
  type Resolved,
  type RulesInForce,
  rulesInForce,
  stepBudgetOfAction,
} from '@mandate/policy';
import { policyDocument, ruleDocument } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const POLICIES = new Map(['a', 'b', 'c'].map((id) => [id, policyOf(id)]));

function policyOf(id: string): NamedPolicy {
  const read = compilePolicy(policyDocument.parse({ version: 1, id, allowedTools: ['*'] }), `${id}@1`);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return { ...read.compiled, name: `${id}@1` };
}

const time = fc.constantFrom(10, 20, 30, 40);
const leaf = fc.oneof(
  fc.record({
    field: fc.constantFrom('agent.team', 'action.tool', 'context.environment', 'context.missing'),
    op: fc.constantFrom('==', '!=', 'starts_with'),
    value: fc.constantFrom('x', 'y'),
  }),
  fc.record({ field: fc.constant('context.environment'), op: fc.constant('exists'), value: fc.boolean() }),
  fc.record({ field: fc.constant('context.environment'), op: fc.constant('=='), value: fc.constant(null) }),
);
const condition = fc.oneof(
  leaf,
  fc.record({ all: fc.array(leaf, { maxLength: 2 }) }),
  fc.record({ any: fc.array(leaf, { maxLength: 2 }) }),
  fc.record({ not: fc.array(leaf, { maxLength: 2 }) }),
);
const rule = fc
  .record(
    {
      priority: fc.nat(2),
      policy: fc.constantFrom('a', 'b', 'c', 'gone', 'a@2'),
      mode: fc.constantFrom('enforce', 'enforce', 'observe', 'shadow'),
      agents: fc.constantFrom(['one'], ['t*'], ['*']),
      groups: fc.constantFrom(['g'], ['g', 'h']),
      when: condition,
      startsAtMs: time,
      lastsMs: time,
    },
    { requiredKeys: ['policy'] },
  )
  .map(({ startsAtMs, lastsMs, ...fields }) => ({
    ...fields,
    ...(startsAtMs && { startsAt: new Date(startsAtMs).toISOString() }),
    ...(lastsMs && { endsAt: new Date((startsAtMs ?? 0) + lastsMs).toISOString() }),
  }));

const AGENTS: readonly AgentAttributes[] = [
  { id: 'one', groups: ['g'], team: 'x' },
  { id: 'two', groups: [], team: 'y' },
  { id: 'three', groups: ['h'] },
  // The first agent is registered again, with other fields.
  { id: 'one', groups: [], team: 'y' },
];

const asked = fc.record({
  agent: fc.constantFrom(...AGENTS),
  tool: fc.constantFrom('x', 'xx', 'y'),
  context: fc.constantFrom<Record<string, string | null>[]>(
    undefined as never,
    {},
    { environment: 'x' },
    { environment: null },
  ),
  atMs: fc.nat(60),
});

function rulesOf(documents: readonly object[]): RulesInForce {
  const rules = documents.map((document, at) => {
    const read = compileRule(ruleDocument.parse({ version: 1, id: `r${at}`, ...document }));
    if (!read.ok) throw new Error(JSON.stringify(read.faults));
    return read.compiled;
  });
  return rulesInForce(rules, (id, version) => (version === 2 ? null : (POLICIES.get(id) ?? null)));
}

type Question = {
  agent: AgentAttributes;
  tool: string;
  context: Record<string, string | null> | undefined;
  atMs: number;
};

function ask(rules: RulesInForce, { agent, tool, context, atMs }: Question): Resolved {
  return rules.resolve(
    agent,
    { id: 'i', agentId: agent.id, type: 'tool_call', tool, ...(context && { context }) },
    atMs,
  );
}

const documents = fc.array(rule, { minLength: 1, maxLength: 6, size: 'max' });

test('a cached result is equal to a result that is computed without the cache', () => {
  fc.assert(
    fc.property(
      documents,
      fc.array(asked, { minLength: 1, maxLength: 20, size: 'max' }),
      (rules, questions) => {
        const remembering = rulesOf(rules);
        for (const question of questions) {
          const { holdsFromMs: _, holdsUntilMs: __, ...found } = ask(remembering, question);
          const { holdsFromMs: ___, holdsUntilMs: ____, ...fresh } = ask(rulesOf(rules), question);
          expect(withoutTables(found)).toEqual(withoutTables(fresh));
        }
      },
    ),
    { numRuns: runs(500) },
  );
});

/**
 * Returns the result without its compiled tables. They are not compared, because the reference of a mandate names
 * everything that they are compiled from.
 */
function withoutTables({ mandate, shadow, matches }: Pick<Resolved, 'mandate' | 'shadow' | 'matches'>) {
  return [mandate, shadow?.mandate ?? null]
    .map(
      (made) =>
        made && [
          made.reference,
          made.policies.map(({ name, observe, isMissing }) => [name, observe, isMissing]),
        ],
    )
    .concat([matches as never, [shadow?.rules, shadow?.policies] as never]);
}

test('each policy lists exactly the rules that apply it', () => {
  fc.assert(
    fc.property(documents, asked, (rules, question) => {
      const { mandate, shadow, matches } = ask(rulesOf(rules), question);
      const kept = matches.filter(({ mode }) => mode !== 'shadow');
      for (const [made, of] of [
        [mandate, kept],
        [shadow?.mandate ?? null, matches],
      ] as const) {
        const names = made?.reference.policies.map((policy) => {
          const giving = of.filter((one) => one.policy === policy);
          const claims = [...new Set(giving.flatMap(({ claims = [] }) => claims))].toSorted();
          const rules = giving.map(({ rule }) => rule).toSorted();
          return { policy, rules, ...(claims.length > 0 && { claims }) };
        });
        expect(made?.reference.grantedBy).toEqual(names);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('the same rules match during the whole stated validity', () => {
  fc.assert(
    fc.property(documents, asked, (rules, question) => {
      const { shadow, matches, holdsFromMs, holdsUntilMs } = ask(rulesOf(rules), question);
      const kept = (all: Resolved['matches']) => all.filter(({ mode }) => mode !== 'shadow');
      const [fromMs, untilMs] = [shadow?.holdsFromMs ?? 0, shadow?.holdsUntilMs ?? 100];
      expect(Math.max(holdsFromMs, fromMs)).toBeLessThanOrEqual(question.atMs);
      for (let atMs = holdsFromMs; atMs < (holdsUntilMs ?? 100); atMs += 1) {
        const found = ask(rulesOf(rules), { ...question, atMs }).matches;
        expect(kept(found)).toEqual(kept(matches));
        if (shadow !== null && fromMs <= atMs && atMs < untilMs) expect(found).toEqual(matches);
      }
    }),
    { numRuns: runs(200) },
  );
});

test('adding a rule removes no policy that is in force, and adding a shadow rule adds no policy', () => {
  fc.assert(
    fc.property(documents, rule, asked, (rules, more, question) => {
      const [before, after] = [ask(rulesOf(rules), question), ask(rulesOf([...rules, more]), question)];
      const names = ({ mandate }: Resolved) => mandate?.reference.policies ?? [];
      expect(names(after)).toEqual(expect.arrayContaining([...names(before)]));
      if ((more as { mode?: string }).mode === 'shadow') expect(names(after)).toEqual(names(before));
    }),
    { numRuns: runs(500) },
  );
});

/** Computes in a second way whether a rule applies: by agent patterns, groups, times, and conditions. */
function applies(document: object, { agent, tool, context, atMs }: Question): boolean {
  const { agents, groups, when, startsAt, endsAt } = ruleDocument.parse({ version: 1, id: 'r', ...document });
  const isNamed = (glob: string) =>
    glob === agent.id || (glob.endsWith('*') && agent.id.startsWith(glob.slice(0, -1)));
  const action = {
    id: 'i',
    agentId: agent.id,
    type: 'tool_call' as const,
    tool,
    ...(context && { context }),
  };
  return (
    (agents?.some(isNamed) ?? true) &&
    (groups?.some((group) => agent.groups.includes(group)) ?? true) &&
    Date.parse(startsAt ?? new Date(0).toISOString()) <= atMs &&
    (endsAt === undefined || Date.parse(endsAt) > atMs) &&
    (when === undefined ||
      compileCondition(when).holds({ agent: agent as never, action }, stepBudgetOfAction()) === true)
  );
}

test('the rules that match are those that a second computation with other code finds', () => {
  fc.assert(
    fc.property(documents, asked, (rules, question) => {
      const { matches } = ask(rulesOf(rules), question);
      const said = rules.flatMap((document, at) => (applies(document, question) ? [`r${at}`] : []));
      expect(matches.map((match) => match.rule).toSorted()).toEqual(said);
    }),
    { numRuns: runs(700) },
  );
});

test('a policy is in observe mode only if every rule that applies it is in observe mode', () => {
  const modes = fc.array(fc.constantFrom('enforce', 'observe'), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(modes, (drawn) => {
      const rules = rulesOf(drawn.map((mode) => ({ policy: 'a', mode })));
      const { mandate } = ask(rules, {
        agent: AGENTS[0] as AgentAttributes,
        tool: 'x',
        context: undefined,
        atMs: 0,
      });
      expect(mandate?.policies.map(({ observe }) => observe)).toEqual([
        drawn.every((mode) => mode === 'observe'),
      ]);
    }),
  );
});
