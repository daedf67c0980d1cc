/**
 * What is hidden of an action before it is published, and how.
 *
 * Where several rules meet one value, this is the order. The names of secrets come before everything here: policy's
 * redaction has been over the action by then. A field's rule takes the whole value, so no pattern is looked for in it. If
 * several rules apply to it, or several patterns find the same piece of a text, redact goes before hash, and hash before
 * seal: a value that one rule removes is never left readable by another. What is hidden already stays as it is.
 */
import { canonicalJson, ERASED, isPlaceholder, keyedHash, REDACTED } from '@mandate/policy';
import { MandateError } from '@mandate/runtime';
import {
  type Action,
  changeFreeFields,
  type Json,
  type PrivacyDocument,
  type PrivacyPattern,
} from '@mandate/schemas';
import { isCreditCard } from '../patterns/credit-card.ts';
import { findPieces } from '../patterns/find-pieces.ts';
import { nationalPhoneFinder } from '../patterns/national-phone.ts';
import { replacePieces } from '../patterns/redact-pieces.ts';
import type { Sealer } from '../sealer.ts';
import { below, fieldPaths, NOWHERE, type Places, rulesAt } from './field-paths.ts';
import { redactedPiece } from './hidden-text.ts';
import { personAt } from './person-at.ts';

/** Gives the very action when there was nothing to hide in it, else a copy; the action given is never changed. */
export type Hiding = (action: Action, tenant: string) => Action;

type FieldRule = PrivacyDocument['fields'][number];
type PatternRule = PrivacyDocument['patterns'][number];
type Rule = FieldRule | PatternRule;

/** The action that is searched, and its tenant. */
type Within = { action: Action; tenant: string };

const STRENGTH = { redact: 0, hash: 1, seal: 2 } as const;

export type HidingMeans = {
  readonly hashKey?: string | undefined;
  /** null: this process has no keys to seal with, so values to seal are redacted. */
  readonly sealer: Sealer | null;
  /** Values to seal that belong to no named person are left as they are, and not redacted. */
  readonly leavesUnowned?: boolean;
};

/**
 * Linear in the action, and twice is once. Throws a TypeError when there is something to hash and no key, and as a hiding
 * PERSON_ERASED for an action in the name of a person who is forgotten.
 */
export function compileHiding(document: PrivacyDocument, means: HidingMeans): Hiding {
  const { hashKey, sealer, leavesUnowned = false } = means;
  const fields = document.fields.toSorted(byStrength);
  const patternRules = new Map<PrivacyPattern, PatternRule>();
  for (const rule of document.patterns.toSorted(byStrength)) {
    if (!patternRules.has(rule.pattern)) patternRules.set(rule.pattern, rule);
  }
  const patterns = [...patternRules.keys()];
  const countries = document.patterns.flatMap((rule) => rule.countries ?? []);
  const findNational = countries.length === 0 ? null : nationalPhoneFinder(countries);
  if (!hashKey && [...fields, ...patternRules.values()].some((rule) => rule.do === 'hash')) {
    throw new TypeError('there is something to hash, and no key: set hashKey');
  }
  const key = hashKey ?? '';
  const paths = fieldPaths(fields);
  if (fields.length === 0 && patterns.length === 0) return (action) => action;

  return (action, tenant) => {
    const within: Within = { action, tenant };
    const hidden = changeFreeFields(action, (value, name) => hideIn(value, below(paths, name), within));
    if (action.principal === undefined) return hidden;
    const id = hidePrincipal(action.principal.id, within);
    return id === action.principal.id ? hidden : { ...hidden, principal: { ...action.principal, id } };
  };

  function hideIn(value: Json, places: Places<FieldRule>, within: Within): Json {
    const rule = strongest(places);
    if (rule !== undefined) return hideWhole(value, rule, within);
    if (places.length === 0 && patterns.length === 0) return value;
    if (typeof value === 'string') return hidePieces(value, within);
    if (typeof value === 'number') return hideNumber(value, within);
    if (Array.isArray(value)) return hideItems(value, places, within);
    return typeof value === 'object' && value !== null ? hideMembers(value, places, within) : value;
  }

  function hideItems(items: Json[], places: Places<FieldRule>, within: Within): Json[] {
    let copy: Json[] | null = null;
    for (const [index, item] of items.entries()) {
      const hidden = hideIn(item, places.length === 0 ? NOWHERE : below(places, String(index)), within);
      if (hidden === item) continue;
      copy ??= [...items];
      copy[index] = hidden;
    }
    return copy ?? items;
  }

  /** Names are looked through as texts are: people's addresses serve as names too. */
  function hideMembers(
    members: { [name: string]: Json },
    places: Places<FieldRule>,
    within: Within,
  ): { [name: string]: Json } {
    const names = Object.keys(members);
    let copy: Map<string, Json> | null = null;
    const unused = unusedNames(members);
    for (const [at, name] of names.entries()) {
      const member = members[name] ?? null;
      const hidden = hideIn(member, below(places, name), within);
      const shownName = hidePieces(name, within);
      if (copy === null && hidden === member && shownName === name) continue;
      copy ??= new Map(names.slice(0, at).map((before) => [before, members[before] ?? null]));
      copy.set(shownName === name ? name : unused(shownName, copy), hidden);
    }
    return copy === null ? members : Object.fromEntries(copy);
  }

  function hideWhole(value: Json, rule: Rule, within: Within): Json {
    if (isPlaceholder(value)) return value;
    if (rule.do === 'redact') return REDACTED;
    if (rule.do === 'hash') return keyedHash(value, key);
    const text = typeof value === 'string' ? value : canonicalJson(value);
    return sealed(text, rule.person, within) ?? (leavesUnowned ? value : REDACTED);
  }

  function hidePieces(text: string, within: Within): string {
    if (patterns.length === 0) return text;
    const pieces = findPieces(text, patterns, findNational);
    if (pieces.length === 0) return text;
    return replacePieces(text, pieces, (piece, pattern) => hidePiece(piece, pattern, within));
  }

  function hidePiece(piece: string, pattern: PrivacyPattern, within: Within): string {
    const rule = patternRules.get(pattern);
    if (rule?.do === 'hash') return keyedHash(piece, key);
    const token = rule?.do === 'seal' ? sealed(piece, rule.person, within) : null;
    return token ?? (leavesUnowned ? piece : redactedPiece(pattern));
  }

  /** The number of a card is one without quotes, too; before it a minus stays, as it does in a text. */
  function hideNumber(value: number, within: Within): Json {
    const digits = String(Math.abs(value));
    if (!patternRules.has('credit_card') || !isCreditCard(digits)) return value;
    return (value < 0 ? '-' : '') + hidePiece(digits, 'credit_card', within);
  }

  /** null: the action names no person that the text belongs to, or the process has no keys to seal with. */
  function sealed(text: string, person: string, { action, tenant }: Within): string | null {
    const id = sealer === null ? null : personAt(action, person);
    return sealer === null || id === null ? null : (sealer.seal(tenant, id, text) ?? ERASED);
  }

  /** It stays an id, as budgets count by it. */
  function hidePrincipal(id: string, { tenant }: Within): string {
    const rule = strongest(below(below(paths, 'principal'), 'id'));
    if (rule === undefined || isPlaceholder(id)) return id;
    if (rule.do === 'hash') return keyedHash(id, key);
    if (rule.do === 'redact' || sealer === null) return REDACTED;
    const pseudonym = sealer.pseudonym(tenant, id);
    if (pseudonym !== null) return pseudonym;
    throw new MandateError(
      'PERSON_ERASED',
      'the person in whose name this action would be taken was erased',
      {
        remedy:
          'Take no more actions in the name of this person; what is known of them again needs a new id.',
      },
    );
  }
}

function byStrength(left: Rule, right: Rule): number {
  return STRENGTH[left.do] - STRENGTH[right.do];
}

function strongest(places: Places<FieldRule>): FieldRule | undefined {
  return places.length === 0 ? undefined : rulesAt(places).sort(byStrength)[0];
}

/**
 * Two names may come out as one, and neither value is to be lost. Each count is tried once: as many as there are may come
 * out as one.
 */
function unusedNames(members: object): (name: string, taken: ReadonlyMap<string, Json>) => string {
  const counts = new Map<string, number>();
  return (name, taken) => {
    let count = counts.get(name) ?? 1;
    let free = count === 1 ? name : `${name} ${count}`;
    while (taken.has(free) || Object.hasOwn(members, free)) {
      count += 1;
      free = `${name} ${count}`;
    }
    counts.set(name, count);
    return free;
  };
}
