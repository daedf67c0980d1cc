/**
 * Turns a checked schema into one function. Every keyword becomes a closure, and no code is generated. So compiling
 * takes microseconds, and works in environments that forbid `eval`.
 */

import { type DigestedValue, digestedType, isDigested } from '@mandate/schemas/core';
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
      // The target is compiled later, because the reference may lead to an enclosing schema that is still being
      // compiled.
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

const always: Check = (_value, run) => {
  run.spend(PER_KEYWORD);
  return true;
};
const never: Check = (value, run) => {
  run.spend(PER_KEYWORD);
  return run.fail('no value here', value);
};

function checkOf(part: unknown, compiler: SchemaCompiler): Check {
  if (!isMembers(part)) return part === false ? never : always;
  const byKind = checksByKind(part, compiler);
  const steps = byKind.map((checks) => PER_KEYWORD * (1 + checks.length));
  const types = typesOf(part.type);
  const isAllowed = KINDS.map((kind) => types === null || types.some((type) => kindOfType(type) === kind));
  const wholeOnly = types?.includes('integer') === true && !types.includes('number');
  const expected = types === null ? '' : types.map((type) => WITH_ARTICLE[type]).join(' or ');
  /** True if the schema only names types, and the digested value has one of them. Nothing else can be judged. */
  const acceptsDigest = (value: DigestedValue): boolean => {
    const type = digestedType(value);
    const at = type === null ? -1 : KINDS.indexOf(type);
    return isAllowed[at] === true && byKind[at]?.length === 0;
  };
  const judge: Check = (value, run, seen) => {
    if (isDigested(value)) {
      run.spend(PER_KEYWORD);
      if (acceptsDigest(value)) return true;
      // Thrown, because a fault inside `not` would accept the value.
      throw new Error('a value that is too large was digested');
    }
    const kind = kindOf(value);
    run.spend(steps[kind] ?? PER_KEYWORD);
    const checks = byKind[kind];
    // A value that is not JSON has no kind. It passes only if the schema names no type.
    if (checks === undefined) return types === null || run.fail(expected, value);
    if (!isAllowed[kind] || (wholeOnly && kind === NUMBER && !Number.isInteger(value))) {
      return run.fail(expected, value);
    }
    for (const check of checks) if (!check(value, run, seen)) return false;
    return true;
  };
  return needsSeen(part) ? withOwnSeen(judge) : judge;
}

const NUMBER = KINDS.indexOf('number');

type Compilers = Readonly<Record<string, KeywordCompiler>>;

const COMPILERS: readonly (readonly [limits: Kind | null, compilers: Compilers])[] = [
  [null, VALUE_KEYWORDS],
  ['number', NUMBER_KEYWORDS],
  ['string', STRING_KEYWORDS],
  ['array', ARRAY_KEYWORDS],
  ['object', OBJECT_KEYWORDS],
  [null, COMBINING_KEYWORDS],
  // The `unevaluated…` keywords run last, because they must know what all other keywords have checked.
  ['array', { unevaluatedItems: UNEVALUATED_KEYWORDS.unevaluatedItems }],
  ['object', { unevaluatedProperties: UNEVALUATED_KEYWORDS.unevaluatedProperties }],
];

/** Keywords in the order in which they run. */
const IN_ORDER = COMPILERS.flatMap(([limits, compilers]) =>
  Object.entries(compilers).map(([name, compile]) => ({ name, limits, compile })),
);

/** Returns the checks for a value of each kind, in the order of KINDS. */
function checksByKind(schema: Members, compiler: SchemaCompiler): readonly (readonly Check[])[] {
  const byKind = KINDS.map((): Check[] => []);
  for (const { name, limits, compile } of IN_ORDER) {
    if (!Object.hasOwn(schema, name)) continue;
    const check = compile(schema[name] as never, { schema, compiler });
    if (check === null) continue;
    for (const [at, kind] of KINDS.entries()) if (limits === null || limits === kind) byKind[at]?.push(check);
  }
  return byKind;
}

function needsSeen(schema: Members): boolean {
  return Object.hasOwn(schema, 'unevaluatedItems') || Object.hasOwn(schema, 'unevaluatedProperties');
}

/**
 * Gives a check its own `seen`. So the `unevaluated…` keywords of a schema know what this schema and its subschemas
 * checked. They know nothing about the enclosing schemas.
 */
function withOwnSeen(judge: Check): Check {
  return (value, run, seen) => {
    const own = new Seen();
    if (!judge(value, run, own)) return false;
    seen?.add(own, run);
    return true;
  };
}

/** Returns the index of the value's kind in KINDS. -1 if the value is not JSON. */
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

const WITH_ARTICLE: Readonly<Record<Type, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  integer: 'a whole number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};
