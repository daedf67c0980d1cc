import type { LinearPattern } from '../linear-pattern.ts';
import type { KeywordCompiler, SchemaCompiler } from './keyword-compiler.ts';
import type { Members } from './keywords.ts';
import { type Check, PER_ELEMENT, type Run, StepsExhausted } from './run.ts';

/** What a schema expects of a field that it does not allow. */
export const NO_SUCH_FIELD = 'no field of this name';

/**
 * Keywords that check the fields of an object. A field counts as present if it is the object's own field and JSON can
 * represent it. Inherited and `undefined` fields count as absent.
 */
export const OBJECT_KEYWORDS = {
  required: (names: readonly string[]): Check => requires(names),
  minProperties: (least: number): Check => {
    const expected = `at least ${fields(least)}`;
    return (value, run) => countOf(value, run) >= least || run.fail(expected, value);
  },
  maxProperties: (most: number): Check => {
    const expected = `at most ${fields(most)}`;
    return (value, run) => countOf(value, run) <= most || run.fail(expected, value);
  },
  properties: (_: unknown, { schema, compiler }): Check => members(schema, compiler),
  patternProperties: (_: unknown, { schema, compiler }): Check | null =>
    Object.hasOwn(schema, 'properties') ? null : members(schema, compiler),
  additionalProperties: (_: unknown, { schema, compiler }): Check | null =>
    Object.hasOwn(schema, 'properties') || Object.hasOwn(schema, 'patternProperties')
      ? null
      : members(schema, compiler),
  propertyNames: (part: unknown, { compiler }): Check => {
    const check = compiler.compile(part);
    return (value, run) => {
      for (const name of namesOf(value as Members, run)) {
        if (check(name, run, null)) continue;
        return run.failAt(name, `${NO_SUCH_FIELD}, but ${run.expected}`, memberOf(value as Members, name));
      }
      return true;
    };
  },
  dependentRequired: (byName: Readonly<Record<string, readonly string[]>>): Check =>
    dependent(Object.entries(byName).map(([name, names]) => [name, requires(names)])),
  dependentSchemas: (byName: Members, { compiler }): Check =>
    dependent(Object.entries(byName).map(([name, part]) => [name, compiler.compile(part)])),
  dependencies: (byName: Members, { compiler }): Check =>
    dependent(
      Object.entries(byName).map(([name, needed]) => [
        name,
        Array.isArray(needed) ? requires(needed) : compiler.compile(needed),
      ]),
    ),
} satisfies Record<string, KeywordCompiler>;

function memberOf(object: Members, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the names of the present fields, and charges the step budget for reading each field. */
export function namesOf(object: Members, run: Run): readonly string[] {
  const names = Object.keys(object);
  run.spend(PER_ELEMENT * names.length);
  return names.filter((name) => object[name] !== undefined);
}

function countOf(value: unknown, run: Run): number {
  return namesOf(value as Members, run).length;
}

function requires(names: readonly string[]): Check {
  const cost = PER_ELEMENT * names.length;
  return (value, run) => {
    run.spend(cost);
    for (const name of names) {
      if (memberOf(value as Members, name) === undefined) return run.failAt(name, 'a value', undefined);
    }
    return true;
  };
}

/**
 * Returns a check that runs the given checks on the whole object. Each of them runs only if the object has a field
 * with the check's name.
 */
function dependent(checks: readonly (readonly [name: string, check: Check])[]): Check {
  const cost = PER_ELEMENT * checks.length;
  return (value, run, seen) => {
    run.spend(cost);
    for (const [name, check] of checks) {
      if (memberOf(value as Members, name) !== undefined && !check(value, run, seen)) return false;
    }
    return true;
  };
}

function members(schema: Members, compiler: SchemaCompiler): Check {
  const declared = Object.entries((schema.properties ?? {}) as Members).map(
    ([name, part]): [string, Check] => [name, compiler.compile(part)],
  );
  const matching = Object.entries((schema.patternProperties ?? {}) as Members).map(
    ([source, part]): [LinearPattern, Check] => [compiler.pattern(source), compiler.compile(part)],
  );
  const hasRest = Object.hasOwn(schema, 'additionalProperties');
  if (matching.length === 0 && !hasRest) return declaredOnly(declared);
  return everyMember(new Map(declared), matching, restOf(schema, compiler));
}

function restOf(schema: Members, compiler: SchemaCompiler): Check | null {
  if (!Object.hasOwn(schema, 'additionalProperties')) return null;
  return schema.additionalProperties === false ? noSuchField : compiler.compile(schema.additionalProperties);
}

export const noSuchField: Check = (value, run) => run.fail(NO_SUCH_FIELD, value);

function declaredOnly(declared: readonly (readonly [name: string, check: Check])[]): Check {
  const cost = PER_ELEMENT * declared.length;
  return (value, run, seen) => {
    run.spend(cost);
    for (const [name, check] of declared) {
      const member = memberOf(value as Members, name);
      if (member === undefined) continue;
      if (!check(member, run, null)) return run.failedWithin(name);
      seen?.name(name);
    }
    return true;
  };
}

function everyMember(
  declared: ReadonlyMap<string, Check>,
  matching: readonly (readonly [pattern: LinearPattern, check: Check])[],
  rest: Check | null,
): Check {
  return (value, run, seen) => {
    const object = value as Members;
    for (const name of namesOf(object, run)) {
      const member = object[name];
      const own = declared.get(name);
      let isJudged = own !== undefined;
      if (own !== undefined && !own(member, run, null)) return run.failedWithin(name);
      for (const [pattern, check] of matching) {
        if (!testName(pattern, name, run)) continue;
        isJudged = true;
        if (!check(member, run, null)) return run.failedWithin(name);
      }
      if (!isJudged && rest !== null) {
        isJudged = true;
        if (!rest(member, run, null)) return run.failedWithin(name);
      }
      if (isJudged) seen?.name(name);
    }
    return true;
  };
}

function testName(pattern: LinearPattern, name: string, run: Run): boolean {
  const matches = pattern.test(name, run.stepBudget);
  if (run.stepBudget.left < 0) throw new StepsExhausted();
  return matches;
}

function fields(count: number): string {
  return count === 1 ? '1 field' : `${count} fields`;
}
