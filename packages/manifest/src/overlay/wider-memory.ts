/** Finds the reads and saves of memory that only the overlay allows. */
import { deepEqual } from '@mandate/schemas';
import {
  type ManifestDocument,
  READ_BY_MODEL,
  readDuration,
  WRITE_BY_MODEL,
} from '@mandate/schemas/manifest';
import { isMap, valueAt } from '../values-at.ts';
import { added, entriesGone, fieldsAt, limitWidens, textsAt, type Widening, widens } from './compare.ts';

const READ = ['memory_policies', 'read'];
const WRITE = ['memory_policies', 'write'];
const OTHER_TEXTS = 'other texts may be saved';
const PRINCIPLE = ['memory_policies', 'core_principle'];

export function readWidenings(
  before: unknown,
  after: unknown,
  manifest: Pick<ManifestDocument, 'intents'>,
): Widening[] {
  const principle = valueAt(before, PRINCIPLE) !== undefined && valueAt(after, PRINCIPLE) === undefined;
  const isolation = [...READ, 'user_isolation'];
  const shared = valueAt(before, isolation) !== false && valueAt(after, isolation) === false;
  return [
    ...(principle
      ? [
          widens(
            PRINCIPLE,
            'the principle is gone, so the model may choose more',
            'the principle is new, so the model may choose less',
          ),
        ]
      : []),
    ...(shared
      ? [widens(isolation, 'each person reads the data of all', 'each person reads only their own data')]
      : []),
    ...storesAdded(before, after, manifest),
    ...Object.keys(fieldsAt(before, [...READ, 'max_results'])).flatMap((store) =>
      limitWidens(before, after, [...READ, 'max_results', store]),
    ),
    ...entriesGone(before, after, [...READ, 'llm_cannot'], { absent: READ_BY_MODEL }),
  ];
}

/** An intent without an entry reads the stores of the fallback. */
function storesAdded(
  before: unknown,
  after: unknown,
  { intents }: Pick<ManifestDocument, 'intents'>,
): Widening[] {
  const mapping = [...READ, 'intent_mapping'];
  const fallback = intents.find(({ triggers }) => triggers.fallback)?.id ?? '';
  const fallbackStores = (document: unknown) => textsAt(document, [...mapping, fallback], []) ?? [];
  const [was, is] = [fallbackStores(before), fallbackStores(after)];
  const named = new Set([before, after].flatMap((document) => Object.keys(fieldsAt(document, mapping))));
  return [...named].flatMap((intent) => {
    const path = [...mapping, intent];
    const read = new Set(textsAt(before, path, was));
    return added(read, textsAt(after, path, is) ?? [], path, 'reads of');
  });
}

export function writeWidenings(before: unknown, after: unknown): Widening[] {
  return [
    ...triggersWiden(before, after),
    ...saveRulesWiden(before, after),
    ...entriesGone(before, after, [...WRITE, 'llm_cannot'], { absent: WRITE_BY_MODEL }),
  ];
}

const CONDITIONS = ['never', 'pattern_match_permanent', 'system_evaluation', 'always'];

/** A trigger is wider if it has another event, or if it allows more rules to save. */
function triggersWiden(before: unknown, after: unknown): Widening[] {
  const path = [...WRITE, 'triggers'];
  const was = fieldsAt(before, path);
  return Object.entries(fieldsAt(after, path)).flatMap(([store, trigger]) => {
    const old = Object.hasOwn(was, store) ? was[store] : { condition: 'never' };
    const rank = (value: unknown) => CONDITIONS.indexOf(String(valueAt(value, ['condition'])));
    const isSameEvent = valueAt(old, ['event']) === valueAt(trigger, ['event']);
    if (rank(trigger) === 0 || (isSameEvent && rank(trigger) <= rank(old))) return [];
    return [widens([...path, store], 'more is saved', 'less is saved')];
  });
}

/** Any change of a rule's tests or action counts as wider, because another rule may then decide. */
function saveRulesWiden(before: unknown, after: unknown): Widening[] {
  const path = [...WRITE, 'save_rules'];
  const [was, is] = [fieldsAt(before, path), fieldsAt(after, path)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) => {
    const [old, rule] = [was, is].map((rules) => (Object.hasOwn(rules, name) ? rules[name] : undefined));
    if (deepEqual(old, rule)) return [];
    if (!isMap(old) || !isMap(rule)) return [widens([...path, name], OTHER_TEXTS, OTHER_TEXTS)];
    const { ttl: oldTtl, ...oldRest } = old;
    const { ttl, ...rest } = rule;
    return [
      ...(deepEqual(oldRest, rest) ? [] : [widens([...path, name], OTHER_TEXTS, OTHER_TEXTS)]),
      ...(isLonger(oldTtl, ttl)
        ? [
            widens(
              [...path, name, 'ttl'],
              'it is remembered for longer',
              'it is remembered for a shorter time',
            ),
          ]
        : []),
    ];
  });
}

function isLonger(before: unknown, after: unknown): boolean {
  if (before === undefined || before === after) return false;
  const [was, is] = [readDuration(before), readDuration(after)];
  return !was.ok || !is.ok || is.ms > was.ms;
}
