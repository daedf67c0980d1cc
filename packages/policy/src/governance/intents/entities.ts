import type { StepBudget } from '../../step-budget.ts';
import { foldText } from '../text/fold.ts';
import { type LiteralFinder, literalFinder } from '../text/literal-finder.ts';
import { standsAlone } from '../text/parted.ts';
import { type TextPattern, textPattern } from '../text/text-pattern.ts';
import { withoutCase } from '../text/without-case.ts';
import { findNumber } from './find-number.ts';
import { inCase } from './in-case.ts';
import type { EntityFields, EntityTypeFields } from './intents-document.ts';
import { type Span, TakenSpans } from './taken-spans.ts';
import { canBeginAfter, withoutConnectingWords } from './text-after-evidence.ts';

export interface Entities {
  readonly entities: Readonly<Record<string, unknown>>;
  /** The names of required entities that the text does not contain. */
  readonly missing: readonly string[];
  /** Numbers outside of their bounds. */
  readonly invalid: readonly { name: string; value: number; why: 'below' | 'above' }[];
}

/** @param evidenceEnd the place after the evidence of the intent; null if there is none */
export type FindEntities = (folded: string, evidenceEnd: number | null, stepBudget: StepBudget) => Entities;

type Found = { readonly value: unknown; readonly span: Span | null; readonly why?: 'below' | 'above' };
type Search = {
  readonly folded: string;
  readonly evidenceEnd: number | null;
  readonly taken: TakenSpans;
  readonly stepBudget: StepBudget;
};
type Find = (search: Search) => Found | null;
/** The order of the search. A part of the text that an entity uses is not available for later entities. */
const SEARCH_ORDER = ['pattern', 'named', 'enum', 'number', 'text'] as const;
type Compiled = {
  readonly fields: EntityFields;
  readonly kind: (typeof SEARCH_ORDER)[number];
  readonly find: Find;
};

export function compileEntities(
  entities: readonly EntityFields[],
  types: Readonly<Record<string, EntityTypeFields>>,
  room: StepBudget,
): FindEntities {
  const compiled = entities.map((fields) => compileEntity(fields, types, room));
  const firstText = compiled.find(({ kind }) => kind === 'text');
  const inOrder = SEARCH_ORDER.flatMap((kind) => compiled.filter((entity) => entity.kind === kind));
  return (folded, evidenceEnd, stepBudget) => {
    const search = { folded, evidenceEnd, taken: new TakenSpans(), stepBudget };
    const found = new Map<Compiled, Found>();
    for (const entity of inOrder) {
      // Only the first entity of the kind `text` can be the text after the evidence.
      const one = entity.kind === 'text' && entity !== firstText ? null : entity.find(search);
      if (one === null) continue;
      found.set(entity, one);
      if (one.span !== null) search.taken.take(one.span);
    }
    return resultOf(compiled, found);
  };
}

function resultOf(compiled: readonly Compiled[], found: ReadonlyMap<Compiled, Found>): Entities {
  const values: [string, unknown][] = [];
  const missing: string[] = [];
  const invalid: { name: string; value: number; why: 'below' | 'above' }[] = [];
  for (const entity of compiled) {
    const { name, default: byDefault, required = false } = entity.fields;
    const one = found.get(entity);
    if (one?.why !== undefined) invalid.push({ name, value: Number(one.value), why: one.why });
    else if (one !== undefined) values.push([name, one.value]);
    else if (byDefault !== undefined && byDefault !== null) values.push([name, byDefault]);
    else if (required) missing.push(name);
  }
  return { entities: Object.fromEntries(values), missing, invalid };
}

function compileEntity(
  fields: EntityFields,
  types: Readonly<Record<string, EntityTypeFields>>,
  room: StepBudget,
): Compiled {
  const named = Object.hasOwn(types, fields.type) ? types[fields.type] : undefined;
  if (fields.type === 'enum') return { fields, kind: 'enum', find: findValue(fields.values ?? []) };
  if (fields.type === 'integer' || fields.type === 'number')
    return { fields, kind: 'number', find: ({ folded, taken }) => findNumber(folded, fields, taken) };
  if (fields.type !== 'string' && named !== undefined) {
    return { fields, kind: 'named', find: findNamed(textPattern(named.pattern, room), named.case) };
  }
  if (fields.pattern === undefined) return { fields, kind: 'text', find: findText };
  return { fields, kind: 'pattern', find: findByPattern(textPattern(fields.pattern, room)) };
}

function findByPattern(pattern: TextPattern): Find {
  return ({ folded, taken, stepBudget }) => {
    for (const { start, end, group } of pattern.matches(folded, stepBudget)) {
      const span = group ?? { start, end };
      if (span.end > span.start && taken.isFree(span))
        return { value: folded.slice(span.start, span.end), span };
    }
    return null;
  };
}

function findNamed(pattern: TextPattern, spelling: EntityTypeFields['case']): Find {
  return ({ folded, taken, stepBudget }) => {
    for (const { start, end } of pattern.matches(folded, stepBudget)) {
      if (!standsAlone(folded, start, end) || !taken.isFree({ start, end })) continue;
      return { value: inCase(folded.slice(start, end), spelling), span: { start, end } };
    }
    return null;
  };
}

function findValue(values: readonly string[]): Find {
  const written = values.map((value) => withoutCase(foldText(value)));
  const known = values.filter((_, at) => written[at] !== '');
  const finder: LiteralFinder = literalFinder(written.filter((value) => value !== ''));
  return ({ folded, taken, stepBudget }) => {
    let first: { value: unknown; span: Span } | null = null;
    finder.find(withoutCase(folded), stepBudget, (literal, start, end) => {
      if (
        first !== null &&
        (start > first.span.start || (start === first.span.start && end <= first.span.end))
      )
        return;
      if (standsAlone(folded, start, end) && taken.isFree({ start, end }))
        first = { value: known[literal], span: { start, end } };
    });
    return first;
  };
}

const findText: Find = ({ folded, evidenceEnd, taken }) => {
  if (evidenceEnd === null || !canBeginAfter(folded, evidenceEnd)) return null;
  const value = withoutConnectingWords(taken.restFrom(folded, evidenceEnd));
  return value === '' ? null : { value, span: null };
};
