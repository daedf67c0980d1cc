/**
 * Tests that the patterns of a document have a limited total size. Patterns beyond the limit are refused and never
 * compiled.
 */
import { type PolicyDocument, policyDocument, type RuleDocument, ruleDocument } from '@mandate/schemas';
import { RE2JS } from 're2js';
import { afterEach, expect, test, vi } from 'vitest';
import { compilePolicy } from '../mandate/compile-mandate.ts';
import { compileRule } from '../rules/rule.ts';
import { linearPattern } from './linear-pattern.ts';
import { compileSchemaRules } from './schema-rules.ts';

const compile = vi.spyOn(RE2JS, 'compile');
afterEach(() => compile.mockClear());
const compiled = () => compile.mock.calls.map(([pattern]) => pattern);

/** Makes patterns that are not in the cache yet. No other test in this file uses the given category. */
const many = (count: number, category: string, repeats: number) =>
  Array.from({ length: count }, (_, at) => `${at}[^\\p{${category}}\\p{N}]{${repeats}}`);

const rule = (patterns: readonly string[]): RuleDocument =>
  ruleDocument.parse({
    version: 1,
    id: 'r',
    policy: 'p',
    when: { any: patterns.map((value) => ({ field: 'action.tool', op: 'matches', value })) },
  });
const policy = (patterns: readonly string[]): PolicyDocument => {
  const properties = Object.fromEntries(
    patterns.map((pattern, at) => [`a${at}`, { type: 'string', pattern }]),
  );
  const schema = { type: 'object', properties };
  return policyDocument.parse({
    version: 1,
    id: 'p',
    toolPolicies: { t: { argumentValidation: { schema } } },
  });
};

test.each([
  ['policy', (patterns: readonly string[]) => compilePolicy(policy(patterns), 'p'), 'toolPolicies', 950],
  ['rule', (patterns: readonly string[]) => compileRule(rule(patterns)), 'when', 90],
] as const)('in a %s, does not compile patterns that exceed the size limit', (_kind, write, path, count) => {
  const refused = write(many(count, 'Lu', 999));
  expect(refused.ok ? [] : refused.faults).toEqual([
    {
      path: expect.arrayContaining([path]),
      message: expect.stringContaining('patterns of more than 20000 steps'),
    },
  ]);
  expect(compiled()).toEqual([]);
});

test.each([
  ['policy', (patterns: readonly string[]) => compilePolicy(policy(patterns), 'p')],
  ['rule', (patterns: readonly string[]) => compileRule(rule(patterns))],
] as const)('in a %s, stops reading at the first pattern beyond the size limit', (_kind, write) => {
  const refused = write([...many(90, 'Ll', 99), '\\p{Never}', '(?=looked at)']);
  expect(refused.ok ? [] : refused.faults).toEqual([
    expect.objectContaining({ message: expect.stringContaining('patterns of more than 20000 steps') }),
  ]);
  for (const pattern of compiled()) expect(pattern).toMatch(/^\\p\{(?:Ll|N)\}$/);
});

test('compiles a Unicode class only once to check it, and without its repeats', () => {
  for (const pattern of many(20, 'Lt', 99)) linearPattern(pattern);
  expect(compiled().filter((pattern) => pattern !== '\\p{N}')).toEqual(['\\p{Lt}']);
  for (const unknown of ['\\p{Ideographic}{9}', '[^\\P{Ideographic}]{9}'])
    expect(() => linearPattern(unknown)).toThrow('knows no class');
  expect(() => linearPattern('[\\\\p{Ideographic}]')).not.toThrow();
});

test('applies no size limit to documents that are already on the log', () => {
  const patterns = many(90, 'Lm', 999);
  expect(compileRule(rule(patterns), { isOnLog: true })).toMatchObject({ ok: true });
  expect(compilePolicy(policy(patterns), 'p@1', { isOnLog: true })).toMatchObject({ ok: true });
  expect(compileRule(rule(['\\p{Ideographic}']), { isOnLog: true })).toMatchObject({ ok: false });
});

test('counts a pattern towards the limit even if a call has already compiled it', () => {
  const patterns = many(3, 'Lo', 199);
  const document = policy(patterns);
  const onLog = compilePolicy(document, 'p@1', { isOnLog: true });
  if (!onLog.ok) throw new Error('refused');
  onLog.compiled.tools.get('t')?.argumentRules?.validate({}, { left: 1_000_000 });
  expect(compilePolicy(document, 'p')).toMatchObject({ ok: false });
});

test('counts each pattern of a schema once, with its own size', () => {
  const [pattern = ''] = many(1, 'L', 9);
  const property = { type: 'string', pattern };
  const schema = { type: 'object', properties: { a: property, b: property } };
  const { size } = linearPattern(pattern);
  expect(compileSchemaRules(schema, { left: size })).toMatchObject({ ok: true, patternSize: size });
  expect(compileSchemaRules(schema, { left: size - 1 })).toMatchObject({ ok: false });
});
