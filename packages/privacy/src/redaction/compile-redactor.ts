/**
 * Redacts an action before it is published.
 *
 * If several rules match one value, they apply in this order. Names of secrets come first: the redaction of the
 * policy package was applied before. A rule for a field replaces the whole value, so patterns are not searched in the
 * value. If several rules match a field, or several patterns match the same piece of text, redact goes before hash,
 * and hash before seal. So no rule leaves something readable that another rule removes. A value that was already
 * replaced stays unchanged.
 */
import { canonicalJson, ERASED, isPlaceholder, keyedHash, REDACTED } from '@mandate/policy';
import { MandateError } from '@mandate/runtime';
import {
  type Action,
  changeFreeFields,
  changePersons,
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
import { personAt } from './person-at.ts';
import { redactedPiece } from './redacted-piece.ts';

/**
 * Redacts an action. Returns the action itself if nothing in it is redacted, otherwise a copy. Never changes the
 * given action.
 */
export type Redactor = (action: Action, tenant: string) => Action;

type FieldRule = PrivacyDocument['fields'][number];
type PatternRule = PrivacyDocument['patterns'][number];
type Rule = FieldRule | PatternRule;

/** The action that is redacted, and its tenant. */
type Within = { action: Action; tenant: string };

const STRENGTH = { redact: 0, hash: 1, seal: 2 } as const;

export type RedactorOptions = {
  readonly hashKey?: string | undefined;
  /** Null if this process has no keys for sealing. Then values to seal are redacted. */
  readonly sealer: Sealer | null;
  /**
   * True if a value to seal stays unchanged when the action names no person for it. Otherwise such a value is
   * redacted.
   */
  readonly leavesUnowned?: boolean;
};

/**
 * Compiles the rules of a document. Redaction takes time linear in the size of the action, and is idempotent. Throws
 * a TypeError if a rule hashes and there is no key. The returned function throws PERSON_ERASED for an action in the
 * name of an erased person.
 */
export function compileRedactor(document: PrivacyDocument, means: RedactorOptions): Redactor {
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
    const redacted = changeFreeFields(action, (value, name) => {
      const places = below(paths, name);
      const whole = name === 'text' && isObject(value) ? strongest(places) : undefined;
      // A rule for the whole text of an interaction replaces what each side said, so that the action keeps its form.
      if (whole !== undefined && isObject(value))
        return Object.fromEntries(
          Object.entries(value).map(([side, said]) => [side, replaceWhole(said, whole, within)]),
        );
      return redactValue(value, places, within);
    });
    return changePersons(redacted, (id) => redactPrincipal(id, within));
  };

  function redactValue(value: Json, places: Places<FieldRule>, within: Within): Json {
    const rule = strongest(places);
    if (rule !== undefined) return replaceWhole(value, rule, within);
    if (places.length === 0 && patterns.length === 0) return value;
    if (typeof value === 'string') return redactText(value, within);
    if (typeof value === 'number') return redactNumber(value, within);
    if (Array.isArray(value)) return redactItems(value, places, within);
    return typeof value === 'object' && value !== null ? redactMembers(value, places, within) : value;
  }

  function redactItems(items: Json[], places: Places<FieldRule>, within: Within): Json[] {
    let copy: Json[] | null = null;
    for (const [index, item] of items.entries()) {
      const redacted = redactValue(
        item,
        places.length === 0 ? NOWHERE : below(places, String(index)),
        within,
      );
      if (redacted === item) continue;
      copy ??= [...items];
      copy[index] = redacted;
    }
    return copy ?? items;
  }

  /**
   * Redacts names and values of an object. Names are searched like texts, because an address of a person may be used
   * as a name.
   */
  function redactMembers(
    members: { [name: string]: Json },
    places: Places<FieldRule>,
    within: Within,
  ): { [name: string]: Json } {
    const names = Object.keys(members);
    let copy: Map<string, Json> | null = null;
    const unused = unusedNames(members);
    for (const [at, name] of names.entries()) {
      const member = members[name] ?? null;
      const redacted = redactValue(member, below(places, name), within);
      const redactedName = redactText(name, within);
      if (copy === null && redacted === member && redactedName === name) continue;
      copy ??= new Map(names.slice(0, at).map((before) => [before, members[before] ?? null]));
      copy.set(redactedName === name ? name : unused(redactedName, copy), redacted);
    }
    return copy === null ? members : Object.fromEntries(copy);
  }

  function replaceWhole(value: Json, rule: Rule, within: Within): Json {
    if (isPlaceholder(value)) return value;
    if (rule.do === 'redact') return REDACTED;
    if (rule.do === 'hash') return keyedHash(value, key);
    const text = typeof value === 'string' ? value : canonicalJson(value);
    return sealed(text, rule.person, within) ?? (leavesUnowned ? value : REDACTED);
  }

  function redactText(text: string, within: Within): string {
    if (patterns.length === 0) return text;
    const pieces = findPieces(text, patterns, findNational);
    if (pieces.length === 0) return text;
    return replacePieces(text, pieces, (piece, pattern) => replacePiece(piece, pattern, within));
  }

  function replacePiece(piece: string, pattern: PrivacyPattern, within: Within): string {
    const rule = patternRules.get(pattern);
    if (rule?.do === 'hash') return keyedHash(piece, key);
    const token = rule?.do === 'seal' ? sealed(piece, rule.person, within) : null;
    return token ?? (leavesUnowned ? piece : redactedPiece(pattern));
  }

  /** Redacts a number, because a card number may be a JSON number. A minus before the number stays, as in a text. */
  function redactNumber(value: number, within: Within): Json {
    const digits = String(Math.abs(value));
    if (!patternRules.has('credit_card') || !isCreditCard(digits)) return value;
    return (value < 0 ? '-' : '') + replacePiece(digits, 'credit_card', within);
  }

  /**
   * Returns the sealed text. Null if the action names no person for the text, or if the process has no keys for
   * sealing.
   */
  function sealed(text: string, person: string, { action, tenant }: Within): string | null {
    const id = sealer === null ? null : personAt(action, person);
    return sealer === null || id === null ? null : (sealer.seal(tenant, id, text) ?? ERASED);
  }

  /** Redacts the id of the principal. The result is still an id, because budgets are counted by this id. */
  function redactPrincipal(id: string, { tenant }: Within): string {
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
        remedy: 'Send no more actions in the name of this person. New data about the person needs a new id.',
      },
    );
  }
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byStrength(left: Rule, right: Rule): number {
  return STRENGTH[left.do] - STRENGTH[right.do];
}

function strongest(places: Places<FieldRule>): FieldRule | undefined {
  return places.length === 0 ? undefined : rulesAt(places).sort(byStrength)[0];
}

/**
 * Returns a function that makes names unique. Two names may be replaced by the same text, and neither value may be
 * lost. So a count is added to the name. Each count is tried once, because all names of an object may be replaced by
 * the same text.
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
