import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadScript } from './load-script.ts';

const FOLDER = join(import.meta.dirname, 'scripts');
const lua = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.lua'));
const scripts = lua(FOLDER).map((name) => name.slice(0, -'.lua'.length));
const parts = lua(join(FOLDER, 'parts'));

test.each(scripts)(
  "%s begins with Redis's shebang, documents its input and output, and contains all its parts",
  (name) => {
    const text = loadScript(name);
    expect(text).toMatch(/^#!lua( flags=\S+)?\n-- [A-Z]/);
    expect(text).toMatch(/^-- KEYS {2}/m);
    expect(text).toMatch(/^-- (ARGV {2}| {6}.*ARGV)/m);
    expect(text).toMatch(/^-- Returns /m);
    expect(text).not.toMatch(/^-- @use /m);
    expect(text.match(/^local LARGEST = /gm)).toHaveLength(1);
  },
);

test.each(parts)('%s is used, and included once before its users', (part) => {
  const body = readFileSync(join(FOLDER, 'parts', part), 'utf8');
  const [first = ''] = /^local (function \w+|[\w, ]+)/m.exec(body) ?? [];
  const users = scripts.map(loadScript).filter((text) => text.includes(first));
  expect(users.length).toBeGreaterThan(0);
  for (const text of users) expect(text.split(`\n${first}`)).toHaveLength(2);
});

test("no script formats a number with Lua's rounding, except in the text of a defect", () => {
  for (const name of scripts) {
    const code = loadScript(name)
      .replace(/^ *--.*$/gm, '')
      .replace(/'no[a-z ]+: ' \.\. tostring\(/g, '');
    expect(code).not.toMatch(/tostring|cjson\.encode|%\.?\d*g\b/);
  }
});

test('loading a missing script fails', () => {
  expect(() => loadScript('no-such-script')).toThrow(/ENOENT/);
});

test("no function in a script is near Lua's limit of 200 local variables", () => {
  for (const name of scripts) {
    const names = [...loadScript(name).matchAll(/^local (function )?([^=\n]*)/gm)].flatMap(
      ([, isFunction, list = '']) => (isFunction === undefined ? list.split(',') : ['one']),
    );
    // The limit here is lower than 200, because loops and branches have further local variables.
    expect(names.length).toBeLessThanOrEqual(185);
  }
});
