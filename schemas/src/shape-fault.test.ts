import { expect, test } from 'vitest';
import { z } from 'zod';
import { readShape, withCode } from './shape-fault.ts';

const call = z.strictObject({ action: z.strictObject({ tool: z.string() }) });
const issue = z.strictObject({ agentId: z.string(), context: z.record(z.string(), z.string()).optional() });

function pathsOf(value: unknown, ...forms: [z.ZodType, z.ZodType]): string[] {
  const read = readShape(z.union(forms), value, 10);
  return read.ok ? [] : read.faults.map(({ path }) => path.join('.'));
}

test.each<[string, unknown, string[]]>([
  ['one that fits', { agentId: 'a' }, []],
  ['the one that it came furthest in', { action: { tool: 1 }, agentId: 1 }, ['agentId', 'action.tool']],
  ['the one in which least is amiss', { agentId: 1 }, ['agentId']],
  ['a name that is misspelt in one of them', { agentId: 'a', contxt: {} }, ['contxt']],
])('reports the more likely of two forms in any order: %s', (_, value, paths) => {
  expect(pathsOf(value, call, issue)).toEqual(paths);
  expect(pathsOf(value, issue, call)).toEqual(paths);
});

test('describes only as many faults in words as are reported', () => {
  let inWords = 0;
  const error = () => {
    inWords += 1;
    return 'is wrong';
  };
  const read = readShape(z.array(z.string({ error })), Array.from({ length: 1_000 }).fill(1), 3);
  expect(read).toEqual({
    ok: false,
    faults: [0, 1, 2].map((at) => ({
      path: [at],
      message: 'is wrong',
      unknownField: false,
      missing: false,
      wrongType: true,
    })),
  });
  expect(inWords).toBe(3);
});

test('reports an unknown field first, however many other faults come before it', () => {
  const shape = z.strictObject({ list: z.array(z.string()), inner: z.strictObject({}) });
  const value = { list: Array.from({ length: 100 }).fill(1), inner: { colour: 1, size: 2 } };
  const read = readShape(shape, value, 2);
  expect(read.ok ? [] : read.faults.map(({ path }) => path.join('.'))).toEqual([
    'inner.colour',
    'inner.size',
  ]);
});

test('distinguishes a missing field from a null, and reports the code of a refinement', () => {
  const even = z.int().refine((value) => value % 2 === 0, { error: 'is odd', ...withCode('ODD') });
  const read = readShape(z.strictObject({ a: even, b: even, c: even }), { b: null, c: 3 }, 10);
  expect(read.ok ? [] : read.faults.map(({ path, missing, code }) => [path[0], missing, code])).toEqual([
    ['a', true, undefined],
    ['b', false, undefined],
    ['c', false, 'ODD'],
  ]);
});

test('distinguishes a value of another JSON type from a value that is not allowed', () => {
  const form = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('a') }),
    z.strictObject({ type: z.literal('b') }),
  ]);
  const shape = z.strictObject({
    whole: z.int().min(1),
    word: z.enum(['x', 'y']),
    form,
    author: z.union([z.string().min(1), z.strictObject({ name: z.string() })]),
  });
  const faultsOf = (value: object) => {
    const read = readShape(shape, value, 10);
    return read.ok
      ? []
      : read.faults.map(({ path, missing, wrongType }) => [path.join('.'), missing, wrongType]);
  };
  expect(faultsOf({ whole: 1.5, word: null, form: { type: ['a'] }, author: 5 })).toEqual([
    ['whole', false, true],
    ['word', false, true],
    ['form.type', false, true],
    ['author', false, true],
  ]);
  expect(faultsOf({ whole: 0, word: 'z', form: { type: 'c' }, author: {} })).toEqual([
    ['whole', false, false],
    ['word', false, false],
    ['form.type', false, false],
    ['author.name', true, false],
  ]);
  expect(faultsOf({ whole: 1, word: 'x', form: {}, author: 'A' })).toEqual([['form.type', true, false]]);
});
