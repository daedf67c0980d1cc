/** The cases of loading: faults and warnings with their places, durations, rates and conditions. */

import { type LoadedManifest, loadManifest } from '@mandate/manifest';
import { lengthConditionHolds, readDuration, readLengthCondition, readRate } from '@mandate/schemas/manifest';
import { expect, test } from 'vitest';
import { type CaseDocument, existingTextOf, manifestCases, textOf } from './manifest-cases.ts';

type Given = {
  manifest: CaseDocument;
  policy: CaseDocument;
  mode?: 'strict' | 'lenient';
  environment?: string;
  overlay?: { text: string };
};
type When = {
  load?: true;
  duration?: unknown;
  rate?: unknown;
  condition?: unknown;
  messageLength: number;
  responseLength: number;
};
type Place = { code: string; path: string; file?: string; line?: number; column?: number };
type Then = {
  ok: boolean;
  errors: Place[];
  warnings: Place[];
  ms?: number;
  maxCalls?: number;
  windowMs?: number;
  holds?: boolean;
  error?: string;
};

const cases = manifestCases<Given, When, Then>('s0-cases');
const named = (chosen: typeof cases) => chosen.map((one) => [`${one.id}: ${one.why}`, one] as const);

test('there are cases of each kind', () => {
  const kinds = new Set(cases.flatMap(({ when }) => Object.keys(when)));
  expect([...kinds]).toEqual(expect.arrayContaining(['load', 'duration', 'rate', 'condition']));
});

test.each(named(cases.filter(({ when }) => when.load)))('%s', (_name, { given, then }) => {
  const loaded = load(given);
  expect(loaded.ok).toBe(then.ok);
  expect(inOrder(asIn(loaded.errors, then.errors))).toEqual(inOrder(then.errors));
  expect(asIn(loaded.warnings, then.warnings)).toEqual(expect.arrayContaining(then.warnings));
});

test.each(named(cases.filter(({ when }) => 'duration' in when)))('%s', (_name, { when, then }) => {
  const read = readDuration(when.duration);
  expect(read.ok ? { ms: read.ms } : { error: 'DURATION_INVALID' }).toEqual(then);
});

test.each(named(cases.filter(({ when }) => 'rate' in when)))('%s', (_name, { when, then }) => {
  const { ok, ...read } = readRate(when.rate);
  if (then.error !== undefined) expect(ok).toBe(false);
  else expect(read).toEqual(then);
});

test.each(named(cases.filter(({ when }) => 'condition' in when)))('%s', (_name, { when, then }) => {
  const read = readLengthCondition(when.condition);
  const lengths = { message_length: when.messageLength, response_length: when.responseLength };
  expect(
    read.ok ? { holds: lengthConditionHolds(read.condition, lengths) } : { error: 'CONDITION_INVALID' },
  ).toEqual(then);
});

function load({ manifest, policy, mode = 'strict', environment, overlay }: Given): LoadedManifest {
  const laid =
    overlay?.text ??
    (environment === undefined || typeof policy !== 'string'
      ? undefined
      : existingTextOf(policy.replace(/policy\.yaml$/, `policy.${environment}.yaml`)));
  return loadManifest({
    manifest: textOf(manifest),
    policy: textOf(policy),
    mode,
    ...(environment === undefined ? {} : { environment }),
    ...(laid === undefined ? {} : { overlay: laid }),
  });
}

/** Returns the faults with those fields that a case states. A fault that no case states keeps all of its fields. */
function asIn(faults: LoadedManifest['warnings'], stated: readonly Place[]): Place[] {
  return faults.map(({ message: _, ...fault }) => {
    const same = stated.find(({ code, path }) => code === fault.code && path === fault.path);
    if (same === undefined || same.line !== undefined) return fault;
    const { line: _line, column: _column, ...placeless } = fault;
    return placeless;
  });
}

function inOrder(faults: readonly Place[]): Place[] {
  const key = ({ file, path, code }: Place) => `${file} ${path} ${code}`;
  return faults.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
