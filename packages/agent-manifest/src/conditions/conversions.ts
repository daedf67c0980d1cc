/** The functions that convert between types. A text that does not have the form of the type fails. */
import {
  durationOfText,
  secondsOf,
  textOfDuration,
  textOfTimestamp,
  timestampOf,
  timestampOfText,
} from './calendar.ts';
import type { Written } from './operation.ts';
import { toInt, toUint } from './operators.ts';
import { failure, isA, type Result, typeOf, type Value } from './values.ts';
import { COST_OF_TIME, spend, spendOnBytes } from './work.ts';

const WHOLE = /^-?\d{1,20}$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** The maximum length of a text. No number and no time needs a longer text. */
const LONGEST = 400;

export const CONVERSIONS: Readonly<Record<string, Written>> = {
  int: conversion((value) => {
    if (typeof value === 'bigint') return value;
    if (isA(value, 'uint')) return toInt(value.value);
    if (typeof value === 'number') return wholeOf(value, toInt);
    if (typeof value === 'string') return ofText(value, WHOLE, 'int', (text) => toInt(BigInt(text)));
    return isA(value, 'timestamp') || isA(value, 'duration') ? secondsOf(value) : undefined;
  }),
  uint: conversion((value) => {
    if (isA(value, 'uint')) return value;
    if (typeof value === 'bigint') return toUint(value);
    if (typeof value === 'number')
      return value < 0 ? failure('a uint is not negative') : wholeOf(value, toUint);
    if (typeof value === 'string') return ofText(value, WHOLE, 'uint', (text) => toUint(BigInt(text)));
    return undefined;
  }),
  double: conversion((value) => {
    if (typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    if (isA(value, 'uint')) return Number(value.value);
    if (typeof value !== 'string') return undefined;
    if (['NaN', 'Infinity', '-Infinity'].includes(value)) return Number(value);
    return ofText(value, DECIMAL, 'double', Number);
  }),
  bool: conversion((value) => {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'string') return undefined;
    if (['true', 'True', 'TRUE', 't', '1'].includes(value)) return true;
    return ['false', 'False', 'FALSE', 'f', '0'].includes(value) ? false : failure('the text is no bool');
  }),
  bytes: {
    arguments: [1],
    run: ([value = null], budget) => {
      if (typeof value !== 'string') return value instanceof Uint8Array ? value : undefined;
      spendOnBytes(budget, value.length);
      return new TextEncoder().encode(value);
    },
  },
  string: {
    arguments: [1],
    run: ([value = null], budget) => {
      if (value instanceof Uint8Array) spendOnBytes(budget, value.length);
      if (isA(value, 'timestamp') || isA(value, 'duration')) spend(budget, COST_OF_TIME);
      return textOf(value);
    },
  },
  timestamp: ofTime((value) => {
    if (typeof value === 'string') return timestampOfText(value);
    if (typeof value === 'bigint') return timestampOf(value * 1_000_000_000n);
    return isA(value, 'timestamp') ? value : undefined;
  }),
  duration: ofTime((value) => {
    if (typeof value === 'string') return durationOfText(value);
    return isA(value, 'duration') ? value : undefined;
  }),
  type: conversion((value) => ({ is: 'type', name: typeOf(value) })),
  dyn: conversion((value) => value),
};

function conversion(convert: (value: Value) => Result | undefined): Written {
  return { arguments: [1], run: ([value = null]) => convert(value) };
}

function ofTime(convert: (value: Value) => Result | undefined): Written {
  return {
    arguments: [1],
    run: ([value = null], budget) => {
      spend(budget, COST_OF_TIME);
      return convert(value);
    },
  };
}

function wholeOf(value: number, convert: (value: bigint) => Result): Result {
  const isInRange = Math.abs(value) < 2 ** 64 && value > -(2 ** 63);
  return isInRange ? convert(BigInt(Math.trunc(value))) : failure(`${value} is outside of 64 bits`);
}

function ofText(text: string, form: RegExp, type: string, convert: (text: string) => Result): Result {
  const isOfForm = text.length <= LONGEST && form.test(text);
  return isOfForm ? convert(text) : failure(`the text is no ${type}`);
}

function textOf(value: Value): Result | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint')
    return String(value);
  if (isA(value, 'uint')) return String(value.value);
  if (isA(value, 'timestamp')) return textOfTimestamp(value);
  if (isA(value, 'duration')) return textOfDuration(value);
  return value instanceof Uint8Array ? textOfBytes(value) : undefined;
}

function textOfBytes(bytes: Uint8Array): Result {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return failure('the bytes are no UTF-8');
    throw error;
  }
}
