/**
 * Describes faults in the shape of a record or document for the person who must correct it. zod's own messages name
 * types of JavaScript. These messages name the expected value and, for an unknown field, the known fields.
 */
import { z } from 'zod';
import { legible } from './json-fault.ts';
import { nearestName } from './nearest-name.ts';

/** Pass it to a parse as `{ error: sayIssue }`. The message of a schema takes precedence. */
export const sayIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return expected(NAMES[issue.expected] ?? issue.expected, issue.input);
    case 'invalid_value':
      return expected(oneOf(issue.values), issue.input, legible);
    case 'invalid_union':
      return issue.discriminator === undefined
        ? NO_FORM
        : expected(oneOf(optionsOf(issue)), fieldOf(issue.input, issue.discriminator), legible);
    case 'too_small':
      return `must ${sized(issue.origin, 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${sized(issue.origin, 'at most', issue.maximum)}`;
    case 'unrecognized_keys':
      return `is not a known field${meantField(issue)}; ${knownFields(issue.inst)}`;
    default:
      return undefined;
  }
};

/**
 * The message for a value that has none of its allowed forms. If one form was clearly meant, the message names the
 * fault of that form instead.
 */
export const NO_FORM = 'has none of the forms that are taken here';

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/**
 * Describes what was expected and what was found. The text of a value is shown only if one of a few words was
 * expected. In other cases the value may be a secret.
 */
function expected(wanted: string, input: unknown, showText = (_text: string) => 'a string'): string {
  if (input === undefined) return `is missing: it must be ${wanted}`;
  return `must be ${wanted}, not ${typeof input === 'string' ? showText(input) : shown(input)}`;
}

function shown(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  return input !== null && typeof input === 'object' ? 'an object' : String(input);
}

function oneOf(options: readonly unknown[]): string {
  const named = options.map((option) => JSON.stringify(option)).join(', ');
  return options.length === 1 ? named : `one of ${named}`;
}

function optionsOf(issue: object): readonly unknown[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
}

function fieldOf(input: unknown, name: string): unknown {
  return new Map(Object.entries(input ?? {})).get(name);
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

function sized(origin: string, bound: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit !== undefined && bound === 'at least' && Number(limit) === 1) return 'not be empty';
  return unit === undefined ? `be ${bound} ${limit}` : `have ${bound} ${limit} ${unit}`;
}

/** Names the known field that was probably meant. Only one unknown field can be put in words here. */
function meantField({ inst, keys }: { inst?: unknown; keys: readonly string[] }): string {
  const [name = '', second] = keys;
  const meant = second === undefined ? nearestName(name, namesOf(inst)) : undefined;
  return meant === undefined ? '' : `: write ${JSON.stringify(meant)}`;
}

function knownFields(inst: unknown): string {
  return inst instanceof z.ZodObject ? `known here: ${namesOf(inst).join(', ')}` : 'none is taken here';
}

/** A field that must be absent (`not: {}`) is not listed. Such a field only gives its fault a better message. */
function namesOf(inst: unknown): readonly string[] {
  if (!(inst instanceof z.ZodObject)) return [];
  return Object.entries(inst.shape).flatMap(([name, schema]) =>
    z.globalRegistry.get(schema)?.not === undefined ? [name] : [],
  );
}
