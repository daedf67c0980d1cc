/** Laws of expressions on random data: agreement with another implementation, and limits on the work. */
import {
  type CelValue,
  celEnv,
  celType,
  isCelError,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
  parse,
  plan,
} from '@bufbuild/cel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExpression } from './compile-expression.ts';
import { expressionsOn } from './run-expressions.ts';
import { isA, isFailure, type Result, typeOf } from './values.ts';
import { MOST_WORK } from './work.ts';

const STATE = {
  n: 3,
  f: 0.5,
  t: 'aé',
  list: [3, 1, 2],
  texts: ['a', 'b'],
  map: { a: 1, b: [2] },
  flag: true,
};

/** Random expressions of all types. Most of them have a value. `depth` limits the nesting. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression');
  const operator = fc.constantFrom(
    '+',
    '-',
    '*',
    '/',
    '%',
    '==',
    '!=',
    '<',
    '<=',
    '>',
    '>=',
    '&&',
    '||',
    'in',
  );
  const leaf = fc.constantFrom(
    ...[
      'state.n',
      'state.f',
      'state.t',
      'state.list',
      'state.texts',
      'state.map',
      'state.flag',
      'state.map.a',
    ],
    ...[
      '1',
      '2.5',
      '0',
      '-1',
      '"a"',
      "'b'",
      'true',
      'false',
      'null',
      '[]',
      '{}',
      'state.missing',
      '7u',
      'b"a"',
    ],
    ...['duration("90s")', 'timestamp("2026-01-31T12:00:00Z")', 'double', 'x'],
  );
  const method = fc.constantFrom(
    'size()',
    'contains("a")',
    'startsWith("a")',
    'endsWith("b")',
    'matches("^a")',
  );
  const macro = fc.constantFrom('all', 'exists', 'exists_one', 'filter', 'map');
  const of = fc.constantFrom('string', 'int', 'uint', 'bool', 'size', 'type', 'dyn');
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.tuple(inner, operator, inner).map(([left, sign, right]) => `(${left} ${sign} ${right})`),
      fc.tuple(inner, inner, inner).map(([is, yes, no]) => `(${is} ? ${yes} : ${no})`),
      // The library accepts a bool as an index, which the specification forbids.
      fc
        .tuple(inner, fc.constantFrom('0', '1u', '5', '-1', '0.5', '1.0', '"a"', 'state.n'))
        .map(([list, at]) => `${list}[${at}]`),
      fc.tuple(inner, method).map(([target, call]) => `${target}.${call}`),
      fc.tuple(of, inner).map(([name, value]) => `${name}(${value})`),
      fc.tuple(inner, macro, inner).map(([list, name, ask]) => `${list}.${name}(x, ${ask})`),
      fc.tuple(inner, inner).map(([a, b]) => `[${a}, ${b}]`),
      inner.map((value) => `{"k": ${value}}`),
      inner.map((value) => `!${value}`),
      inner.map((value) => `-(${value})`),
    ),
  };
});

const env = celEnv();

/** The result of the library. Times have no text, so only their type is compared. */
function resultOfLibrary(text: string): unknown {
  const result = plan(env, parse(text))({ state: STATE });
  return isCelError(result) ? FAILS : shownByLibrary(result);
}

const FAILS = 'fails';

function shownByLibrary(value: CelValue): unknown {
  if (isCelList(value)) return [...value].map(shownByLibrary);
  if (isCelMap(value))
    return [...value].map(([key, member]) => ['key', shownByLibrary(key), shownByLibrary(member)]);
  if (isCelUint(value)) return ['uint', value.value];
  if (isCelType(value)) return ['type', value.name];
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? celType(value).name
    : value;
}

function shown(result: Result): unknown {
  if (isFailure(result)) return FAILS;
  if (typeof result !== 'object' || result === null || result instanceof Uint8Array) return result;
  if (isA(result, 'list')) return result.items.map(shown);
  if (isA(result, 'uint')) return ['uint', result.value];
  if (isA(result, 'type')) return ['type', result.name];
  if (isA(result, 'map'))
    return result.keys().map((key) => ['key', shown(key), shown(result.get(key) ?? null)]);
  return typeOf(result);
}

describe('a random expression', () => {
  test('has the same result as in the library', () => {
    const seen = { values: 0, failures: 0 };
    fc.assert(
      fc.property(expression, (text) => {
        fc.pre(!('fault' in compileExpression(text)));
        const result = expressionsOn({ state: STATE }).resultOf(text);
        expect(shown(result), text).toEqual(resultOfLibrary(text));
        seen[isFailure(result) ? 'failures' : 'values'] += 1;
      }),
      { numRuns: 2_000 },
    );
    // The law would prove little if almost all expressions failed.
    expect(seen.values).toBeGreaterThan(200);
    expect(seen.failures).toBeGreaterThan(200);
  });

  test('costs the same work each time, whether its syntax tree is still cached or not', () => {
    fc.assert(
      fc.property(expression, (text) => {
        const left = () => {
          const run = expressionsOn({ state: STATE });
          run.resultOf(text);
          return run.budget.left;
        };
        const first = left();
        for (let at = 0; at < 500; at += 1) compileExpression(`${at} == 0`);
        expect(left()).toBe(first);
      }),
      { numRuns: 20 },
    );
  });

  test('reads no more data than it pays for', () => {
    fc.assert(
      fc.property(expression, fc.integer({ min: 0, max: 300 }), (text, size) => {
        let reads = 0;
        const list = Array.from({ length: size }, (_, at) => at);
        const counted = new Proxy(list, {
          get(target, key, receiver) {
            reads += 1;
            return Reflect.get(target, key, receiver);
          },
        });
        const run = expressionsOn({ state: { ...STATE, list: counted } });
        run.resultOf(text);
        expect(reads, text).toBeLessThanOrEqual(10 + 2 * (MOST_WORK - run.budget.left));
      }),
    );
  });
});

describe('expressions that are made to be slow', () => {
  const LENGTH = 60_000;
  const state = {
    list: Array.from({ length: LENGTH }, () => 1),
    items: Array.from({ length: 8_000 }, (_, at) => ({ id: at })),
    map: Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`k${at}`, at])),
    text: 'ab'.repeat(LENGTH),
  };
  const repeated = (part: string, sign: string) =>
    Array.from({ length: Math.floor(900 / (part.length + sign.length)) }, () => part).join(sign);

  test.each([
    ['search a list in a list', 'state.list.all(x, !(0 in state.list))'],
    ['compare data in a loop', 'state.items.all(x, state.items == state.items)'],
    ['compare copies of the data', 'state.list.map(x, state) == state.list.map(x, state)'],
    ['ask for a missing field often', `state.list.all(x, ${repeated('x.a', ' || ')} || true)`],
    ['test often in a loop', `state.list.all(x, ${repeated('x > 0', ' && ')})`],
    ['loop often', repeated('state.list.all(x, x > 0)', ' && ')],
    ['join lists', `(${repeated('state.list', ' + ')}).size() > 0`],
    ['join texts', `(${repeated('state.text', ' + ')}).size() > 0`],
    ['measure a text in a loop', 'state.list.all(x, state.text.size() > 0)'],
    ['search a long text for a long text', 'state.text.contains("b" + state.text)'],
    ['order texts in a loop', 'state.list.all(x, state.text <= state.text)'],
    ['match a text in a loop', 'state.list.all(x, state.text.matches("(a|b)*a(a|b){9}") )'],
    ['match with a large pattern', 'state.text.matches("(?:a|b)*a(?:a|b){70}[cd]")'],
    ['read times in a loop', 'state.list.all(x, timestamp("2026-01-31T12:00:00Z") > timestamp(0))'],
    ['read durations in a loop', 'state.list.all(x, duration("1h2m3s") > duration("1s"))'],
    ['make maps in a loop', 'state.list.map(x, {"a": x, "b": x}).size() > 0'],
    ['make bytes in a loop', 'state.list.all(x, bytes(state.text) != b"")'],
    ['list the keys of a map in a loop', 'state.items.all(x, state.map == state.map)'],
  ])('end: %s', (_, text) => {
    expect(compileExpression(text)).not.toHaveProperty('fault');
    const run = expressionsOn({ state });
    expect(run.resultOf(text)).toMatchObject({ message: expect.stringContaining('too much work') });
    expect(run.budget.left).toBeLessThan(0);
    // Every further evaluation with this budget ends at once.
    const { left } = run.budget;
    expect(isFailure(run.resultOf('true'))).toBe(true);
    expect(left - run.budget.left).toBeLessThan(1_000);
  });

  test.each([
    ['a test of every item of a long list', 'state.list.all(x, x == 1)'],
    ['a search in a list of objects', 'state.items.exists(x, x.id == 7999)'],
    ['a map of a list of objects', 'state.items.map(x, x.id).size() == 8000'],
    ['a search for a long word in a long text', `!state.text.contains("${'ab'.repeat(20)}c")`],
    ['a search in a long text', '!state.text.contains("aab")'],
    ['a pattern on a long text', '!state.text.matches("(a|b)*[cd]")'],
    ['a comparison of a long list', 'state.list == state.list'],
  ])('do not hinder %s', (_, text) => {
    expect(expressionsOn({ state }).resultOf(text)).toBe(true);
  });
});
