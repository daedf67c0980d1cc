import { expect, test } from 'vitest';
import { rowCount } from './count-rows.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['ndjson', '{"a":"x"}\n{"a":"y\\n\\""}\n', 2],
  ['ndjson', '', 0],
  ['csv', '"id","text"\n"1","two\nlines"\n"2","a ""quote"""\n', 2],
  ['csv', '"id","text"\n', 0],
] as const)('counts the rows of %s, wherever the bytes are split', (format, text, rows) => {
  for (let at = 0; at <= text.length; at += 1) {
    const count = rowCount(format);
    for (const part of [text.slice(0, at), text.slice(at)]) count.pass(bytes(part));
    expect(count.rows()).toBe(rows);
  }
});
