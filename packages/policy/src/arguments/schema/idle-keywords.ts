import { shorten } from '../argument-fault.ts';
import { type Dialect, KEYWORDS, type Members } from './keywords.ts';

/** A keyword with less effect than it seems to have in this schema. */
export interface IdleKeyword {
  readonly keyword: string;
  readonly message: string;
}

/**
 * Finds keywords of one schema object that JSON Schema ignores, or that accept more than their author probably means.
 * Does not look at subschemas.
 */
export function idleKeywords(schema: Members, dialect: Dialect): readonly IdleKeyword[] {
  const has = (name: string) => Object.hasOwn(schema, name);
  const found: IdleKeyword[] = [];
  const say = (keyword: string, message: string) => {
    if (has(keyword)) found.push({ keyword, message });
  };
  if (!has('if')) {
    for (const keyword of ['then', 'else']) say(keyword, `${keyword} decides nothing without if`);
  } else if (!has('then') && !has('else')) say('if', 'if decides nothing without then or else');

  if (!has('contains')) {
    for (const keyword of ['minContains', 'maxContains'])
      say(keyword, `${keyword} decides nothing without contains`);
  } else for (const message of idleContains(schema)) say('contains', message);

  if (dialect === 'draft-07') {
    if (!Array.isArray(schema.items))
      say('additionalItems', 'additionalItems decides nothing unless items is a list of schemas');
    const beside = Object.keys(schema).filter((name) => !STAYS_BESIDE_REF.has(name) && !isNote(name));
    if (has('$ref') && beside.length > 0) {
      say(
        '$ref',
        `draft-07 ignores what is beside $ref (${shorten(beside.join(', '), 100)}): move $ref into allOf`,
      );
    }
  } else if (Array.isArray(schema.items)) say('items', 'in 2020-12 a list of schemas is called prefixItems');

  const prefix = dialect === 'draft-07' ? 'items' : 'prefixItems';
  const first = schema[prefix];
  if (Array.isArray(first)) {
    const others = dialect === 'draft-07' ? ['additionalItems'] : ['items', 'unevaluatedItems'];
    const bounded = has('maxItems') || others.some(has);
    if (!has('minItems'))
      say(prefix, `${prefix} lets shorter arrays pass: add minItems, ${first.length} or fewer`);
    if (!bounded) say(prefix, `${prefix} lets longer arrays pass: add ${others[0]}: false, or maxItems`);
  }
  return found;
}

function idleContains({ minContains = 1, maxContains }: Members): readonly string[] {
  const [least, most] = [Number(minContains), Number(maxContains ?? Number.POSITIVE_INFINITY)];
  if (least === 0 && maxContains === undefined) return ['contains decides nothing with minContains: 0 alone'];
  return least > most ? ['contains is never met: minContains is above maxContains'] : [];
}

const STAYS_BESIDE_REF: ReadonlySet<string> = new Set(['$ref', '$defs', 'definitions']);

function isNote(name: string): boolean {
  return KEYWORDS.get(name)?.note === true;
}
