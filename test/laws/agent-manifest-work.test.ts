/**
 * Tests that reading an agent manifest does work that grows at most linearly with its size, whatever its author wants.
 * Each kind of hostile manifest is read at one size and at twice the size. Twice the work is linear, four times is
 * quadratic.
 */
import { readAgentManifest } from '@mandate/agent-manifest';
import { byLength } from '@mandate/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startCounting, type WorkCounter } from './counted-work.ts';
import { BETWEEN_FILES } from './readers.ts';

vi.setConfig({ testTimeout: 120_000 });

let counter: WorkCounter;
beforeAll(async () => {
  counter = await startCounting(['/schemas/src/', '/packages/', '/node_modules/yaml/']);
});
afterAll(() => counter.stop());

const HEAD = 'apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: m }\n';
const TOOL = '{ type: tool, uri: "mcp://t", risk_level: safe }';
const AGENT = 'type: agent, name: A, role: r, goal: g';

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('');
const definitions = (all: string) => `${HEAD}definitions:\n${all}`;
const steps = (all: string, policy = '') => `${HEAD}${policy}workflow:\n  start: s0\n  steps:\n${all}`;

/** Each kind with a size that a manifest may have, at least half of the largest. A short run reads a quarter of it. */
const KINDS: readonly [name: string, size: number, text: (size: number) => string][] = [
  [
    'agents with tools that do not exist',
    1_000,
    (n) => definitions(lines(n, (at) => `  a${at}: { ${AGENT}, tools: [x, y] }`)),
  ],
  [
    'agents that list the tools of each other',
    1_000,
    (n) => definitions(lines(n, (at) => `  a${at}: { ${AGENT}, tools: [t${at}, t0] }\n  t${at}: ${TOOL}`)),
  ],
  [
    'tools that all have one id',
    2_000,
    (n) => definitions(lines(n, (at) => `  t${at}: { type: tool, id: x, uri: "mcp://t", risk_level: safe }`)),
  ],
  [
    'an agent that lists one tool very often',
    10_000,
    (n) => definitions(`  t: ${TOOL}\n  a: { ${AGENT}, tools: [${'t, '.repeat(n)}t] }\n`),
  ],
  [
    'packs that name one tool very often',
    500,
    (n) =>
      definitions(
        `${lines(n, (at) => `  t${at}: { type: tool, id: x, uri: "mcp://t", risk_level: safe }`)}${lines(n, (at) => `  p${at}: { type: tool_pack, namespace: n${at}, metadata: { name: p, description: d, author: a }, tools: [x, x] }`)}`,
      ),
  ],
  [
    'voters that are all the same',
    10_000,
    (n) =>
      `${steps(`    s0: { type: council, voters: [${'a, '.repeat(n)}a] }\n`)}definitions:\n  a: { ${AGENT} }\n`,
  ],
  [
    'steps in one long circle',
    3_000,
    (n) => steps(lines(n, (at) => `    s${at}: { type: logic, code: x, next: s${(at + 1) % n} }`)),
  ],
  [
    'steps in many circles',
    3_000,
    (n) => steps(lines(n, (at) => `    s${at}: { type: logic, code: x, next: s${at} }`)),
  ],
  [
    'steps in a row',
    3_000,
    (n) =>
      steps(
        lines(n, (at) => `    s${at}: { type: logic, code: x${at + 1 < n ? `, next: s${at + 1}` : ''} }`),
        'policy: { max_steps: 1 }\n',
      ),
  ],
  [
    'a switch with very many cases',
    500,
    (n) =>
      steps(
        `    s0:\n      type: switch\n      cases:\n${lines(n, (at) => `        "state.x == ${at}": s0`)}`,
      ),
  ],
  [
    'references in one long chain',
    3_000,
    (n) =>
      definitions(
        lines(n, (at) => `  d${at}: ${at + 1 < n ? `{ $ref: "#/definitions/d${at + 1}" }` : TOOL}`),
      ),
  ],
  [
    'references in one long circle',
    3_000,
    (n) => definitions(lines(n, (at) => `  d${at}: { $ref: "#/definitions/d${(at + 1) % n}" }`)),
  ],
  ['references to nothing', 3_000, (n) => definitions(lines(n, (at) => `  d${at}: { $ref: "#/x${at}" }`))],
  [
    'references into one large map',
    1_600,
    (n) =>
      definitions(`${lines(n, (at) => `  d${at}: { $ref: "#/metadata/m/x${at}" }`)}`).replace(
        'name: m',
        `name: m, m: { ${lines(n, (at) => `x${at}: ${TOOL},`).replaceAll('\n', ' ')} }`,
      ),
  ],
  [
    'schemas of very many names',
    1_500,
    (n) =>
      `${HEAD}interface:\n  inputs:\n${lines(n, (at) => `    i${at}: { type: string, maxLength: ${at} }`)}`,
  ],
  [
    'patterns that repeat',
    20,
    (n) =>
      `${HEAD}interface:\n  inputs:\n${lines(n, (at) => `    i${at}: { type: string, pattern: "^(a{100}b${at}){9}$" }`)}`,
  ],
  [
    'schemas with references',
    700,
    (n) =>
      `${HEAD}interface:\n  inputs:\n    type: object\n    properties:\n${lines(n, (at) => `      i${at}: { $ref: "#/properties/i${Math.max(0, at - 1)}" }`)}`,
  ],
  [
    'files of knowledge with very many parts',
    2_000,
    (n) => definitions(`  a: { ${AGENT}, knowledge: ["${'a/../'.repeat(n)}b", "${'/'.repeat(n)}"] }\n`),
  ],
  [
    'secrets',
    2_000,
    (n) =>
      definitions(
        `  a: { ${AGENT}, runtime: { env_vars: { ${lines(n, (at) => `K${at}_TOKEN: "-----BEGIN A",`).replaceAll('\n', ' ')} } } }\n`,
      ),
  ],
  [
    'one long name',
    100_000,
    (n) =>
      definitions(
        `  a: { ${AGENT}, tools: [${'x'.repeat(n)}], runtime: { env_vars: { "${'tokenTOKEN_'.repeat(n / 20)}": "${'-----BEGIN A'.repeat(n / 20)}" } } }\n`,
      ),
  ],
];

test.each(KINDS)('%s', async (_name, full, text) => {
  const size = byLength({ short: full / 4, full });
  expect(text(2 * size).length).toBeLessThan(1_048_576);
  const less = await counter.countOf('an agent manifest', text(size));
  const more = await counter.countOf('an agent manifest', text(2 * size));
  expect(more, `${more} for twice the size, ${less} before`).toBeLessThan(2.3 * less);
});

const LINKS = byLength({ short: 100, full: 400 });

test('files that refer to each other', async () => {
  const chain = (count: number) =>
    [
      definitions('  d: { $ref: 1.yaml }\n'),
      ...Array.from({ length: count }, (_, at) => (at + 1 < count ? `{ $ref: ${at + 2}.yaml }` : TOOL)),
    ].join(BETWEEN_FILES);
  const less = await counter.countOf('files of an agent manifest', chain(LINKS));
  const more = await counter.countOf('files of an agent manifest', chain(2 * LINKS));
  expect(more).toBeLessThan(2.3 * less);
});

test('a circle of steps without an exit is one fault, however long it is', () => {
  const text = steps(
    lines(5_000, (at) => `    s${at}: { type: logic, code: x, next: s${(at + 1) % 5_000} }`),
  );
  const read = readAgentManifest(text);
  expect(read.ok ? [] : read.faults.map(({ code, path }) => [code, path])).toEqual([
    ['CYCLE', 'workflow.steps.s0'],
  ]);
  expect(read.ok ? '' : read.faults[0]?.message.length).toBeLessThan(300);
});
