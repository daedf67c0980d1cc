/** Completes the names of fields from the JSON Schema of a policy. */
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import policySchema from '../../../../schemas/generated/policy.schema.json';

type Schema = {
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  $ref?: string;
};

const ROOT = policySchema as Schema;

export function completeFields({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const typed = /^(\s*(?:- )?)([\w$]*)$/.exec(before);
  if (typed === null) return null;
  const [, indent = '', word = ''] = typed;
  if (word === '' && !explicit) return null;
  const above = Array.from({ length: line.number - 1 }, (_, index) => state.doc.line(index + 1).text);
  const fields = fieldsAt(ROOT, pathAt(above, indent.length));
  return {
    from: pos - word.length,
    options: Object.entries(fields).map(([label, { description }]) => ({
      label,
      apply: `${label}: `,
      type: 'property',
      ...(description !== undefined && { info: description }),
    })),
    validFor: /^[\w$]*$/,
  };
}

/**
 * Returns the names of the fields that contain a place in the text, the outermost first, from the lines above the
 * place.
 */
export function pathAt(above: readonly string[], indent: number): string[] {
  const path: string[] = [];
  let inner = indent;
  for (const text of above.toReversed()) {
    const [, spaces = '', name] = /^(\s*(?:- )*)([\w$]+):/.exec(text) ?? [];
    if (name === undefined || spaces.length >= inner) continue;
    path.unshift(name);
    inner = spaces.length;
    if (inner === 0) break;
  }
  return path;
}

/** Returns the fields that an object at the path may have. */
export function fieldsAt(root: Schema, path: readonly string[]): Readonly<Record<string, Schema>> {
  let places = everyForm(root, root);
  for (const name of path) {
    places = places
      .flatMap(({ properties = {}, additionalProperties }) => {
        const named = properties[name];
        if (named !== undefined) return [named];
        return typeof additionalProperties === 'object' ? [additionalProperties] : [];
      })
      .flatMap((one) => everyForm(root, one))
      .flatMap((one) => (one.items === undefined ? [one] : [one, ...everyForm(root, one.items)]));
  }
  return Object.assign({}, ...places.map(({ properties = {} }) => properties));
}

function everyForm(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 8) return [];
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
  const referred = $ref === undefined ? [] : [referredBy(root, $ref)].filter((one) => one !== null);
  return [
    schema,
    ...[...referred, ...anyOf, ...oneOf, ...allOf].flatMap((one) => everyForm(root, one, depth + 1)),
  ];
}

function referredBy(root: Schema, reference: string): Schema | null {
  if (reference === '#') return root;
  let place: unknown = root;
  for (const step of reference.replace(/^#\//, '').split('/')) {
    if (typeof place !== 'object' || place === null) return null;
    place = (place as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof place === 'object' && place !== null ? place : null;
}
