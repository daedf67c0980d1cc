/**
 * Makes one function of a schema that was checked. No code is generated: every keyword becomes a closure, so compiling takes
 * microseconds and works where `eval` is forbidden.
 */

import { ARRAY_KEYWORDS } from './array-keywords.ts';
import type { CheckedSchema } from './check-schema.ts';
import { COMBINING_KEYWORDS } from './combining-keywords.ts';
import type { KeywordCompiler, SchemaCompiler } from './keyword-compiler.ts';
import { kindOfType, type Type, typesOf } from './keyword-value.ts';
import { isMembers, KINDS, type Kind, type Members } from './keywords.ts';
import { NUMBER_KEYWORDS } from './number-keywords.ts';
import { OBJECT_KEYWORDS } from './object-keywords.ts';
import { type Check, PER_KEYWORD, Seen } from './run.ts';
import { STRING_KEYWORDS } from './string-keywords.ts';
import { UNEVALUATED_KEYWORDS } from './unevaluated-keywords.ts';
import { VALUE_KEYWORDS } from './value-keywords.ts';

export function compileSchema({ schema, targets, patterns, dialect }: CheckedSchema): Check {
  const known = new Map<unknown, Check>();
  const pending: (() => void)[] = [];
  const compiler: SchemaCompiler = {
    dialect,
    compile(part) {
      const check = known.get(part) ?? checkOf(part, compiler);
      known.set(part, check);
      return check;
    },
    refer(reference) {
      let target: Check = never;
      // The schema may refer to a schema around it, which is still being compiled.
      pending.push(() => {
        target = compiler.compile(targets.get(reference));
      });
      return (value, run, seen) => target(value, run, seen);
    },
    pattern(source) {
      const pattern = patterns.get(source);
      if (pattern === undefined) throw new Error(`the pattern ${source} was not checked`);
      return pattern;
    },
  };
  const check = compiler.compile(schema);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) next();
  return check;
}

const always: Check = () => true;
const never: Check = (value, run) => run.fail('no value here', value);

function checkOf(part: unknown, compiler: SchemaCompiler): Check {
  if (!isMembers(part)) return part === false ? never : always;
  const checks = checksOf(part, compiler);
  const { fits, expected } = typeTest(typesOf(part.type));
  const byKind = KINDS.map((kind) =>
    checks.filter(({ limits }) => limits === null || limits === kind).map(({ check }) => check),
  );
  const steps = byKind.map((list) => PER_KEYWORD * (1 + list.length));
  const judge: Check = (value, run, seen) => {
    const kind = kindOf(value);
    run.spend(steps[kind] ?? PER_KEYWORD);
    if (!fits(kind, value)) return run.fail(expected, value);
    const list = byKind[kind];
    if (list === undefined) return true;
    for (const check of list) if (!check(value, run, seen)) return false;
    return true;
  };
  return needsSeen(part) ? withOwnSeen(judge) : judge;
}

const COMPILERS: readonly (readonly [
  limits: Kind | null,
  compilers: Readonly<Record<string, KeywordCompiler>>,
])[] = [
  [null, VALUE_KEYWORDS],
  ['number', NUMBER_KEYWORDS],
  ['string', STRING_KEYWORDS],
  ['array', ARRAY_KEYWORDS],
  ['object', OBJECT_KEYWORDS],
  [null, COMBINING_KEYWORDS],
];

type LimitedCheck = { limits: Kind | null; check: Check };

function checksOf(schema: Members, compiler: SchemaCompiler): readonly LimitedCheck[] {
  const of = (limits: Kind | null, compilers: Readonly<Record<string, KeywordCompiler>>) =>
    Object.entries(compilers)
      .filter(([name]) => Object.hasOwn(schema, name))
      .flatMap(([name, compile]): LimitedCheck[] => {
        const check = compile(schema[name] as never, { schema, compiler });
        return check === null ? [] : [{ limits, check }];
      });
  return [
    ...COMPILERS.flatMap(([limits, compilers]) => of(limits, compilers)),
    // They ask what all the others have judged.
    ...of('array', { unevaluatedItems: UNEVALUATED_KEYWORDS.unevaluatedItems }),
    ...of('object', { unevaluatedProperties: UNEVALUATED_KEYWORDS.unevaluatedProperties }),
  ];
}

function needsSeen(schema: Members): boolean {
  return Object.hasOwn(schema, 'unevaluatedItems') || Object.hasOwn(schema, 'unevaluatedProperties');
}

/** `unevaluated…` sees what this schema and its subschemas judged, and nothing of the schemas around it. */
function withOwnSeen(judge: Check): Check {
  return (value, run, seen) => {
    const own = new Seen();
    if (!judge(value, run, own)) return false;
    seen?.add(own, run);
    return true;
  };
}

/** The index of the value's kind in KINDS; what is no JSON value has none. */
function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'boolean':
      return 1;
    case 'number':
      return 2;
    case 'string':
      return 3;
    case 'object':
      if (value === null) return 0;
      return Array.isArray(value) ? 4 : 5;
    default:
      return -1;
  }
}

function typeTest(types: readonly Type[] | null): {
  fits: (kind: number, value: unknown) => boolean;
  expected: string;
} {
  if (types === null) return { fits: () => true, expected: '' };
  const kinds = KINDS.map((kind) => types.some((type) => kindOfType(type) === kind));
  const wholeOnly = types.includes('integer') && !types.includes('number');
  const expected = types.map((type) => WITH_ARTICLE[type]).join(' or ');
  if (!wholeOnly) return { fits: (kind) => kinds[kind] === true, expected };
  return {
    fits: (kind, value) => kinds[kind] === true && (kind !== 2 || Number.isInteger(value)),
    expected,
  };
}

const WITH_ARTICLE: Readonly<Record<Type, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  integer: 'a whole number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};
