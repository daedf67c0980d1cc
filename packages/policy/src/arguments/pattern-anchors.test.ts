import { expect, test } from 'vitest';
import { isAnchored } from './pattern-anchors.ts';

test.each([
  '^prod$',
  '^(prod|staging)$',
  '^prod$|^staging$',
  '(^prod$|^staging$)',
  '(?:^prod$)',
  '(?<name>^prod$)',
  '^prod.*',
  '.*prod$',
  '.*prod.*',
  '^a\\\\$',
  '^(a)(b)$',
  '^[$|]$',
  '^$',
])('%s is anchored at both ends', (pattern) => {
  expect(isAnchored(pattern)).toBe(true);
});

test.each([
  'prod',
  '^prod',
  'prod$',
  '^prod|staging$',
  '^prod$|staging',
  '^a\\$',
  '^a\\.*',
  '^(prod$|staging)',
  '(a)^b$(c)',
  '(^a$)b|(^c$)',
  '[^a]$',
  '^[a$]',
  '',
  '^a$|',
])('%s matches longer texts, so it is not anchored', (pattern) => {
  expect(isAnchored(pattern)).toBe(false);
});
