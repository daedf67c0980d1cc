import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { isPlainUtf8 } from './proxy-headers.ts';

const plain = (...rawHeaders: string[]) => isPlainUtf8({ rawHeaders } as IncomingMessage);

test('accepts bodies in UTF-8 only, even if a header names another encoding', () => {
  expect(plain()).toBe(true);
  expect(plain('Content-Type', 'application/json')).toBe(true);
  expect(plain('Content-Type', 'application/json; charset="UTF-8"')).toBe(true);
  expect(plain('Content-Type', 'application/json; charset = utf-7')).toBe(false);
  expect(plain('Content-Type', 'application/json; x="charset=utf-8"; charset=utf-7')).toBe(false);
  expect(plain('Content-Type', 'application/json', 'content-type', 'a/b; charset=utf-16')).toBe(false);
  expect(plain('Content-Encoding', 'br')).toBe(false);
});
