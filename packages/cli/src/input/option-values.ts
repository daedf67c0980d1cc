/**
 * Reads the values of options strictly. A wrong value is refused at once, and the message says which values are
 * allowed.
 */
import {
  dollarsToMicros,
  JsonFault,
  pattern,
  readJson,
  readMoment,
  sayIssue,
  tenant,
  wireTime,
} from '@mandate/schemas';
import { InvalidArgumentError } from 'commander';

/** Returns the patterns of agent names that were given before, and this pattern. */
export function namePattern(text: string, before: readonly string[] = []): readonly string[] {
  const read = pattern.safeParse(text, { error: sayIssue });
  if (read.success) return [...before, text];
  throw new InvalidArgumentError(`It ${read.error.issues.map(({ message }) => message).join('; ')}.`);
}

/** Reads a whole number in plain digits, without sign, spaces, exponent or hexadecimal digits. */
export function wholeNumber(range: { min: number; max: number; unit?: string }): (text: string) => number {
  const { min, max, unit } = range;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const what = unit === undefined ? 'a whole number' : `a whole number of ${unit}`;
    throw new InvalidArgumentError(`Give ${what}, ${min} to ${max}.`);
  };
}

/** Reads dollars, which may be negative. Returns micro-dollars. */
export function dollars(text: string): number {
  const [, sign, amount] = /^([+-]?)\$?(\d+(?:\.\d{1,6})?)$/.exec(text) ?? [];
  const micros = amount === undefined ? null : dollarsToMicros(Number(amount));
  if (micros === null)
    throw new InvalidArgumentError('Give dollars, with at most six decimals: 1.50 or -0.25.');
  return sign === '-' ? -micros : micros;
}

/** Reads a whole number, which may be negative. */
export function signedNumber(text: string): number {
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Give a whole number: 50000 or -50000.');
}

/** Reads dollars, zero or more. Returns micro-dollars. */
export function cost(text: string): number {
  const micros = dollars(text);
  if (micros >= 0) return micros;
  throw new InvalidArgumentError('Give dollars, zero or more, with at most six decimals: 0.40.');
}

const DURATION = /^(\d{1,15})(ms|s|m|h|d)?$/;
const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads milliseconds, or a number with its unit: 500, 5s, 10m, 2h, 7d. Returns milliseconds. */
export function durationMs(range: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const ms = readDuration(text, 'ms');
    if (ms !== null && ms >= range.min && ms <= range.max) return ms;
    throw new InvalidArgumentError(
      `Give milliseconds or a number with its unit (500, 5s, 10m, 2h, 7d), ${range.min} ms to ${range.max} ms.`,
    );
  };
}

/** Reads an RFC 3339 time, a day, or a duration before now (15m, 2h, 7d, 4w). Returns RFC 3339 in UTC. */
export function momentBefore(clock: () => number): (text: string) => string {
  return (text) => {
    const read = readMoment(text, clock());
    if ('atMs' in read) return wireTime(read.atMs);
    throw new InvalidArgumentError(`It ${read.fault}.`);
  };
}

function readDuration(text: string, otherwise?: string): number | null {
  const [, count, unit = otherwise] = DURATION.exec(text) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  return count === undefined || unitMs === undefined ? null : Number(count) * unitMs;
}

/** Reads a JSON object as strictly as the plane does: a number that would be rounded is refused. */
export function jsonObject(text: string): object {
  let wrong = '';
  try {
    const value = readJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    wrong = ` Here ${error.message}: ${error.remedy}.`;
  }
  throw new InvalidArgumentError(`Give a JSON object, such as '{"amount": 50}'.${wrong}`);
}

/** Reads any JSON value as strictly as the plane does. */
export function anyJson(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new InvalidArgumentError(
      `Give JSON, such as '{"paid": true}' or null. Here ${error.message}: ${error.remedy}.`,
    );
  }
}

export function someText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('Give a text that is not empty.');
}

export function tenantName(text: string): string {
  const read = tenant.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(`It ${read.error.issues[0]?.message ?? 'is no name of a tenant'}.`);
}
