import type { SettingShape } from './setting-shape.ts';

type Reading = { ok: true; value: unknown } | { ok: false; fault: string };

/**
 * Reads the text of an environment variable as the type that the schema expects. Numbers are decimal, without
 * exponent, plus sign or hexadecimal digits. A list is split at commas, and an empty text is an empty list. The
 * schema itself checks the range.
 */
export function readSetting(shape: SettingShape, text: string): Reading {
  if (shape.kind !== 'list') return readScalar(shape.kind, text);
  const values: unknown[] = [];
  for (const element of text.trim() === '' ? [] : text.split(',')) {
    const reading = readScalar(shape.of, element.trim());
    if (!reading.ok) return reading;
    values.push(reading.value);
  }
  return { ok: true, value: values };
}

function readScalar(kind: SettingShape['of'], text: string): Reading {
  if (kind === 'text') return { ok: true, value: text };
  const trimmed = text.trim();
  if (kind === 'boolean') {
    if (trimmed === 'true') return { ok: true, value: true };
    if (trimmed === 'false') return { ok: true, value: false };
    return { ok: false, fault: 'is neither true nor false' };
  }
  if (!/^-?\d+(\.\d+)?$/.test(trimmed)) return { ok: false, fault: 'is not a decimal number' };
  return { ok: true, value: Number(trimmed) };
}
