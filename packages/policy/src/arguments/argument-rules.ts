import { canonicalJson } from '../digest.ts';
import { type Effort, effortOfAction, takes } from '../effort.ts';
import { recentlyUsed } from '../recently-used.ts';
import { type ArgumentFault, describeSeen } from './argument-fault.ts';
import type { ArgumentCheck } from './named-validator.ts';
import { NAMED_VALIDATORS } from './named-validators.ts';
import { endlessRoom } from './pattern-size.ts';
import type { SchemaFault } from './schema/schema-place.ts';
import { compileSchemaRules } from './schema-rules.ts';

/** What a tool's policy says of its arguments: `argumentValidation` of the mandate document. */
export interface ArgumentValidation {
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  readonly validators?: readonly NamedInDocument[] | undefined;
}

/** Rules ready for use. Judging takes no I/O, throws nothing, and ends with the effort that there is for it. */
export interface ArgumentRules {
  /**
   * The first fault: of the schema, then of the validators in their order. Absent arguments are an empty object. Where
   * `effort.left` is below 0 afterwards, nothing was found out.
   */
  validate(args: unknown, effort: Effort): ArgumentFault | null;
}

export interface CompiledRules extends ArgumentRules {
  readonly ok: true;
  /** The size of all its patterns together. */
  readonly patternSize: number;
}

/** What is wrong with the rules of a document, in order, at least one; each path starts at `argumentValidation`. */
export interface RulesRefused {
  readonly ok: false;
  readonly faults: readonly SchemaFault[];
}

// A mandate file that changed in one place is read again as a whole, and patterns take long to compile.
const compiledBefore = recentlyUsed<CompiledRules>(512);

/**
 * Compiles a tool's argument rules, once for each text of them.
 *
 * @param room how large their patterns may be together: they take their own, and where that is more `room.left` is below 0
 */
export function compileArgumentRules(
  validation: ArgumentValidation,
  room: Effort = endlessRoom(),
): CompiledRules | RulesRefused {
  const text = canonicalJson(validation);
  const known = compiledBefore.get(text);
  if (known !== undefined) {
    room.left -= known.patternSize;
    return known;
  }

  const checks: ArgumentCheck[] = [];
  let patternSize = 0;
  if (validation.schema !== undefined) {
    const compiled = compileSchemaRules(validation.schema, room);
    if (!compiled.ok) return refusedAt(['schema'], compiled.faults);
    patternSize = compiled.patternSize;
    checks.push(compiled.validate);
  }
  for (const [index, named] of (validation.validators ?? []).entries()) {
    const created = createValidator(named);
    if (!created.ok) return refusedAt(['validators', index], created.faults);
    checks.push(created.check);
  }
  const rules: CompiledRules = {
    ok: true,
    patternSize,
    validate: (args = {}, effort) => firstFault(checks, args, effort),
  };
  compiledBefore.set(text, rules);
  return rules;
}

function firstFault(checks: readonly ArgumentCheck[], args: unknown, effort: Effort): ArgumentFault | null {
  for (const check of checks) {
    const fault = check(args, effort);
    if (fault !== null || effort.left < 0) return fault;
  }
  return null;
}

/** A name, or one name with its parameters. */
type NamedInDocument = string | Readonly<Record<string, unknown>>;

function nameAndParameters(named: NamedInDocument): { name: string; parameters: unknown } {
  if (typeof named === 'string') return { name: named, parameters: undefined };
  const [[name, parameters] = ['', undefined]] = Object.entries(named);
  return { name, parameters };
}

function createValidator(
  named: NamedInDocument,
): { readonly ok: true; readonly check: ArgumentCheck } | RulesRefused {
  if (typeof named !== 'string' && Object.keys(named).length !== 1) {
    return refused([], 'a validator with parameters has one name: { emailDomains: [company.com] }');
  }
  const { name, parameters } = nameAndParameters(named);
  const validator = NAMED_VALIDATORS.get(name);
  if (validator === undefined) {
    const known = [...NAMED_VALIDATORS.keys()].join(', ');
    return refused([], `unknown validator "${name}"; known: ${known}`);
  }
  if (parameters === undefined) {
    if (!validator.parametersRequired) return { ok: true, check: validator.create(undefined) };
    return refused([], `"${name}" needs parameters: ${validator.describe}`);
  }
  const schema = compileSchemaRules(validator.parameters);
  if (!schema.ok) return schema;
  const fault = schema.validate(parameters, effortOfAction());
  if (fault !== null) {
    const place = fault.pointer || 'its parameters';
    return refused([name], `"${name}" at ${place}: expected ${fault.expected}, found ${fault.seen}`);
  }
  const wrong = validator.faultOf?.(parameters) ?? null;
  if (wrong !== null) return refused([name], `"${name}": ${wrong}`);
  return { ok: true, check: validator.create(parameters) };
}

/**
 * Whether `after` lets through nothing that `before` refused: both are equal, or `after` has the same name and narrower
 * parameters. Both are as documents write them.
 */
export function narrowsValidator(before: NamedInDocument, after: NamedInDocument): boolean {
  if (canonicalJson(before) === canonicalJson(after)) return true;
  const [was, is] = [nameAndParameters(before), nameAndParameters(after)];
  if (was.name !== is.name || !createValidator(before).ok || !createValidator(after).ok) return false;
  return NAMED_VALIDATORS.get(was.name)?.narrows?.(was.parameters, is.parameters) === true;
}

function refused(path: SchemaFault['path'], message: string): RulesRefused {
  return { ok: false, faults: [{ path, message }] };
}

function refusedAt(path: SchemaFault['path'], faults: readonly SchemaFault[]): RulesRefused {
  return { ok: false, faults: faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] })) };
}

/** Compiling a schema takes so many steps for each of its characters, whichever request needed it first. */
const COMPILING = 16;

/** As they are when a call first needs them: a policy speaks of thousands of tools, and each schema takes milliseconds. */
export function argumentRulesOnDemand(validation: ArgumentValidation): ArgumentRules {
  const { length } = JSON.stringify(validation);
  let rules: CompiledRules | RulesRefused | null = null;
  return {
    validate(args, effort) {
      if (!takes(effort, length * COMPILING)) return null;
      rules ??= compileArgumentRules(validation);
      if (rules.ok) return rules.validate(args, effort);
      // The rules were accepted once and cannot be read now: arguments that cannot be judged are not let through.
      return {
        pointer: '',
        expected: `arguments that rules can judge (${rules.faults[0]?.message})`,
        seen: describeSeen(args),
        rule: 'schema',
      };
    },
  };
}
