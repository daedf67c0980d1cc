/**
 * An evaluator of JSON Schema 2020-12 that follows the text of the standard and is slow. Each keyword returns whether
 * it accepts the value, and which fields and elements it has evaluated. The engine of the policy package must agree
 * with it.
 *
 * It is only for schemas that the loader accepts, and for harmless patterns, because it runs the patterns unchecked.
 */

type Members = Readonly<Record<string, unknown>>;

type Evaluated = { holds: boolean; names: ReadonlySet<string>; items: ReadonlySet<number> };

const NOTHING = { names: new Set<string>(), items: new Set<number>() };
const HOLDS: Evaluated = { holds: true, ...NOTHING };
const FAILS: Evaluated = { holds: false, ...NOTHING };

export function holdsByReference(root: unknown, value: unknown): boolean {
  return evaluate(root, value, root).holds;
}

function evaluate(schema: unknown, value: unknown, root: unknown): Evaluated {
  if (typeof schema === 'boolean') return schema ? HOLDS : FAILS;
  const keywords = schema as Members;
  const below = (part: unknown, member: unknown) => evaluate(part, member, root).holds;
  const here = (part: unknown) => evaluate(part, value, root);
  const found: Evaluated[] = [verdict(isOfType(keywords.type, value))];
  if ('const' in keywords) found.push(verdict(isEqual(keywords.const, value)));
  if ('enum' in keywords) found.push(verdict(listOf(keywords.enum).some((each) => isEqual(each, value))));
  for (const reference of ['$ref', '$dynamicRef']) {
    if (reference in keywords) found.push(here(leadTo(String(keywords[reference]), root)));
  }
  found.push(...combined(keywords, here));
  if (typeof value === 'number') found.push(verdict(numberHolds(keywords, value)));
  if (typeof value === 'string') found.push(verdict(stringHolds(keywords, value)));
  if (Array.isArray(value)) found.push(...arrayResults(keywords, value, below));
  if (isObject(value)) found.push(...objectResults(keywords, value, { below, here }));

  const all = together(found);
  if (!all.holds) return FAILS;
  if (Array.isArray(value) && 'unevaluatedItems' in keywords) {
    const left = [...value.keys()].filter((at) => !all.items.has(at));
    return left.every((at) => below(keywords.unevaluatedItems, value[at]))
      ? { ...all, items: new Set(value.keys()) }
      : FAILS;
  }
  if (isObject(value) && 'unevaluatedProperties' in keywords) {
    const left = Object.keys(value).filter((name) => !all.names.has(name));
    return left.every((name) => below(keywords.unevaluatedProperties, value[name]))
      ? { ...all, names: new Set(Object.keys(value)) }
      : FAILS;
  }
  return all;
}

function verdict(holds: boolean): Evaluated {
  return holds ? HOLDS : FAILS;
}

/** Accepts the value if all results accept it. A field or element counts as evaluated if one result evaluated it. */
function together(results: readonly Evaluated[]): Evaluated {
  if (!results.every(({ holds }) => holds)) return FAILS;
  return {
    holds: true,
    names: new Set(results.flatMap(({ names }) => [...names])),
    items: new Set(results.flatMap(({ items }) => [...items])),
  };
}

function combined(keywords: Members, here: (part: unknown) => Evaluated): Evaluated[] {
  const found: Evaluated[] = [];
  if ('allOf' in keywords) found.push(together(listOf(keywords.allOf).map(here)));
  if ('anyOf' in keywords) {
    const holding = listOf(keywords.anyOf)
      .map(here)
      .filter(({ holds }) => holds);
    found.push(holding.length > 0 ? together(holding) : FAILS);
  }
  if ('oneOf' in keywords) {
    const holding = listOf(keywords.oneOf)
      .map(here)
      .filter(({ holds }) => holds);
    found.push(holding.length === 1 ? together(holding) : FAILS);
  }
  if ('not' in keywords) found.push(verdict(!here(keywords.not).holds));
  if ('if' in keywords) {
    const condition = here(keywords.if);
    const next = (condition.holds ? keywords.then : keywords.else) ?? true;
    found.push(condition.holds ? together([condition, here(next)]) : here(next));
  }
  return found;
}

function numberHolds(keywords: Members, value: number): boolean {
  const bound = (name: string) => keywords[name] as number | undefined;
  return (
    value <= (bound('maximum') ?? Infinity) &&
    value >= (bound('minimum') ?? -Infinity) &&
    value < (bound('exclusiveMaximum') ?? Infinity) &&
    value > (bound('exclusiveMinimum') ?? -Infinity) &&
    (!('multipleOf' in keywords) || isMultiple(value, Number(keywords.multipleOf)))
  );
}

/**
 * True if the value is a multiple of the step. Both become integers in units of 10^-400, which keeps every digit of a
 * double's shortest form.
 */
function isMultiple(value: number, step: number): boolean {
  return counted(value) % counted(step) === 0n;
}

function counted(value: number): bigint {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? [];
  const count = BigInt(whole + fraction) * 10n ** BigInt(400 + Number(power) - fraction.length);
  return sign === '-' ? -count : count;
}

function stringHolds(keywords: Members, value: string): boolean {
  const length = [...value].length;
  return (
    length >= Number(keywords.minLength ?? 0) &&
    length <= Number(keywords.maxLength ?? Infinity) &&
    (!('pattern' in keywords) || new RegExp(String(keywords.pattern), 'u').test(value))
  );
}

type Below = (part: unknown, member: unknown) => boolean;

function arrayResults(keywords: Members, value: readonly unknown[], below: Below): Evaluated[] {
  const found: Evaluated[] = [
    verdict(value.length >= Number(keywords.minItems ?? 0)),
    verdict(value.length <= Number(keywords.maxItems ?? Infinity)),
    verdict(keywords.uniqueItems !== true || !hasRepeat(value)),
  ];
  const first = listOf(keywords.prefixItems ?? []);
  const parts = value.map((_, at) => (at < first.length ? first[at] : keywords.items));
  const judged = [...parts.keys()].filter((at) => parts[at] !== undefined);
  const holds = judged.every((at) => below(parts[at], value[at]));
  found.push(holds ? { ...HOLDS, items: new Set(judged) } : FAILS);
  if ('contains' in keywords) {
    const matching = [...value.keys()].filter((at) => below(keywords.contains, value[at]));
    const enough = matching.length >= Number(keywords.minContains ?? 1);
    const few = matching.length <= Number(keywords.maxContains ?? Infinity);
    found.push(enough && few ? { ...HOLDS, items: new Set(matching) } : FAILS);
  }
  return found;
}

function objectResults(
  keywords: Members,
  value: Members,
  { below, here }: { below: Below; here: (part: unknown) => Evaluated },
): Evaluated[] {
  const names = Object.keys(value);
  const has = (name: string) => Object.hasOwn(value, name);
  const hasAll = (needed: unknown) => listOf(needed).every((name) => has(String(name)));
  const found: Evaluated[] = [
    verdict(names.length >= Number(keywords.minProperties ?? 0)),
    verdict(names.length <= Number(keywords.maxProperties ?? Infinity)),
    verdict(hasAll(keywords.required ?? [])),
  ];
  if ('propertyNames' in keywords)
    found.push(verdict(names.every((name) => below(keywords.propertyNames, name))));
  for (const [name, needed] of entriesOf(keywords.dependentRequired)) {
    if (has(name)) found.push(verdict(hasAll(needed)));
  }
  for (const [name, part] of [...entriesOf(keywords.dependentSchemas), ...entriesOf(keywords.dependencies)]) {
    if (has(name)) found.push(Array.isArray(part) ? verdict(hasAll(part)) : here(part));
  }
  const evaluated = new Set<string>();
  let holds = true;
  for (const name of names) {
    const parts = [
      ...entriesOf(keywords.properties).filter(([declared]) => declared === name),
      ...entriesOf(keywords.patternProperties).filter(([pattern]) => new RegExp(pattern, 'u').test(name)),
    ].map(([, part]) => part);
    if (parts.length === 0 && 'additionalProperties' in keywords) parts.push(keywords.additionalProperties);
    if (parts.length > 0) evaluated.add(name);
    holds &&= parts.every((part) => below(part, value[name]));
  }
  found.push(holds ? { ...HOLDS, names: evaluated } : FAILS);
  return found;
}

function isOfType(types: unknown, value: unknown): boolean {
  if (types === undefined) return true;
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return [types].flat().some((type) => type === own || (type === 'integer' && Number.isInteger(value)));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isEqual(item, b[at]));
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
    );
  }
  return a === b;
}

function hasRepeat(items: readonly unknown[]): boolean {
  return items.some((item, at) => items.slice(0, at).some((before) => isEqual(before, item)));
}

/** Returns the subschema to which a reference within the root leads, by JSON pointer or by anchor. */
function leadTo(reference: string, root: unknown): unknown {
  const fragment = decodeURIComponent(reference.slice(1));
  if (fragment !== '' && !fragment.startsWith('/')) return anchored(fragment, root);
  return fragment
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((part, step) => (part as Members)[step], root);
}

function anchored(name: string, part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return undefined;
  const { $anchor, $dynamicAnchor } = part as Members;
  if ($anchor === name || $dynamicAnchor === name) return part;
  return Object.values(part)
    .map((member) => anchored(name, member))
    .find((found) => found !== undefined);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return value as readonly unknown[];
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return Object.entries((value ?? {}) as Members);
}
