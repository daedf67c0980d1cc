import { canonicalJson } from '../digest.ts';
import { recentlyUsed } from '../recently-used.ts';
import { consume, type StepBudget, stepBudgetOfAction } from '../step-budget.ts';
import { type ArgumentFault, describeSeen } from './argument-fault.ts';
import { pointerTo } from './every-string.ts';
import { TextDigested } from './judged-strings.ts';
import type { ArgumentCheck } from './named-validator.ts';
import { NAMED_VALIDATORS } from './named-validators.ts';
import { endlessRoom } from './pattern-size.ts';
import type { SchemaFault } from './schema/schema-place.ts';
import { compileSchemaRules } from './schema-rules.ts';

/** The rules of a policy for one tool's arguments: `argumentValidation` of the mandate document. */
export interface ArgumentValidation {
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  readonly validators?: readonly NamedInDocument[] | undefined;
}

/** Compiled argument rules. Validation does no I/O, never throws, and stops when the step budget is used up. */
export interface ArgumentRules {
  /**
   * Returns the first fault: of the schema, then of the validators in their order. Absent arguments count as an empty
   * object. If `stepBudget.left` is below 0 after the call, the result is not valid.
   */
  validate(args: unknown, stepBudget: StepBudget): ArgumentFault | null;
}

export interface CompiledRules extends ArgumentRules {
  readonly ok: true;
  /** The total size of the patterns in these rules, in steps per character. */
  readonly patternSize: number;
}

/** The faults of invalid rules, in order. There is at least one fault. Each path starts at `argumentValidation`. */
export interface RulesRefused {
  readonly ok: false;
  readonly faults: readonly SchemaFault[];
}

// A cache of compiled rules. A mandate file is read again as a whole after any change, and patterns are slow to
// compile.
const compiledBefore = recentlyUsed<CompiledRules>(512);

/**
 * Compiles the argument rules of a tool. Equal rules are compiled once.
 *
 * @param room the total size that the patterns may still have. Their size is subtracted; a negative `room.left` means
 *   that they are too large
 */
export function compileArgumentRules(
  validation: ArgumentValidation,
  room: StepBudget = endlessRoom(),
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
    validate: (args = {}, stepBudget) => firstFault(checks, args, stepBudget),
  };
  compiledBefore.set(text, rules);
  return rules;
}

function firstFault(
  checks: readonly ArgumentCheck[],
  args: unknown,
  stepBudget: StepBudget,
): ArgumentFault | null {
  for (const check of checks) {
    const fault = check(args, stepBudget);
    if (fault !== null || stepBudget.left < 0) return fault;
  }
  return null;
}

/** A validator in a document: its name, or an object with its name as the key and its parameters as the value. */
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
    if (!validator.parametersRequired)
      return { ok: true, check: refusingDigests(name, validator.create(undefined)) };
    return refused([], `"${name}" needs parameters: ${validator.describe}`);
  }
  const schema = compileSchemaRules(validator.parameters);
  if (!schema.ok) return schema;
  const fault = schema.validate(parameters, stepBudgetOfAction());
  if (fault !== null) {
    const place = fault.pointer || 'its parameters';
    return refused([name], `"${name}" at ${place}: expected ${fault.expected}, found ${fault.seen}`);
  }
  const wrong = validator.faultOf?.(parameters) ?? null;
  if (wrong !== null) return refused([name], `"${name}": ${wrong}`);
  return { ok: true, check: refusingDigests(name, validator.create(parameters)) };
}

/** Returns the check of a validator. It refuses arguments with a digest that the validator would have to read. */
function refusingDigests(rule: string, check: ArgumentCheck): ArgumentCheck {
  return (args, stepBudget) => {
    try {
      return check(args, stepBudget);
    } catch (error) {
      if (!(error instanceof TextDigested)) throw error;
      return {
        pointer: pointerTo(error.found),
        expected: `a value that "${rule}" can read`,
        seen: 'a digest of a value that is too large',
        rule,
      };
    }
  };
}

/**
 * True if the validator `after` accepts nothing that the validator `before` refuses. They must be equal, or have the
 * same name, and the parameters of `after` must be narrower. Both are given as documents write them.
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

/**
 * The cost of compiling a schema, in steps per character. Every request pays this cost, even if an earlier request
 * compiled the schema.
 */
const COMPILING = 16;

/**
 * Returns argument rules that are compiled at the first call. A policy may name thousands of tools, and each schema
 * takes milliseconds to compile.
 */
export function argumentRulesOnDemand(validation: ArgumentValidation): ArgumentRules {
  const { length } = JSON.stringify(validation);
  let rules: CompiledRules | RulesRefused | null = null;
  return {
    validate(args, stepBudget) {
      if (!consume(stepBudget, length * COMPILING)) return null;
      rules ??= compileArgumentRules(validation);
      if (rules.ok) return rules.validate(args, stepBudget);
      // The rules compiled when the policy was accepted, but fail to compile now. The arguments cannot be checked, so
      // they are refused.
      return {
        pointer: '',
        expected: `arguments that rules can judge (${rules.faults[0]?.message})`,
        seen: describeSeen(args),
        rule: 'schema',
      };
    },
  };
}
