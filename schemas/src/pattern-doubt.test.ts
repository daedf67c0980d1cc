import { describe, expect, it } from 'vitest';
import { patternDoubt } from './pattern-doubt.ts';

describe('a pattern raises no doubt', () => {
  it.each([
    '*',
    'get_*',
    '*_admin',
    'mail.send',
    'fs/*/read',
    'gpt-4o',
    'anthropic.claude-v2:1',
    'g++',
    'a!b',
    'ключ*',
    'a:b',
    'user@example.com',
    'x_(beta)',
  ])('%s', (text) => expect(patternDoubt(text)).toBeNull());

  it('that ends in .* beside names with dots', () => {
    expect(patternDoubt('mail.*', ['mail.send', 'read'])).toBeNull();
    expect(patternDoubt('mail.*', ['read', 'mail.*'])).toMatch(/goes on with a dot/);
  });
});

describe('a pattern raises doubt, with what was probably meant', () => {
  it.each([
    ['delete_?', '"?" stands for itself', 'delete_*'],
    ['delete_????', '"?" stands for itself', 'delete_*'],
    ['^delete_', '"^" stands for itself', 'delete_*'],
    ['^delete_.*$', '"^" stands for itself', 'delete_*'],
    ['_admin$', '"$" stands for itself', '*_admin'],
    ['.*delete.*', '".*" stands for itself', '*delete*'],
    ['delete_.*', '".*" stands for itself', 'delete_*'],
    ['delete.*', '".*" matches only what goes on with a dot', 'delete*'],
    ['delete_.+', '".+" stands for itself', 'delete_*'],
    ['delete_\\w+', '"\\\\w" stands for itself', 'delete_*'],
    ['mail\\.send', '"\\\\." stands for itself', 'mail.send'],
    ['/^delete_/i', '"/^delete_/i" is no regular expression', 'delete_*'],
    ['regex:delete_.*', '"regex:" has no meaning here', 'delete_*'],
    ['"rm"', '"\\"" is part of the pattern', 'rm'],
    ["'rm'", '"\'" is part of the pattern', 'rm'],
    ['“rm”', '"“" is part of the pattern', 'rm'],
    ['«rm»', '"«" is part of the pattern', 'rm'],
    ['delete_＊', '"＊" looks like a *', 'delete_*'],
    ['delete_∗', '"∗" looks like a *', 'delete_*'],
    ['delete_✱', '"✱" looks like a *', 'delete_*'],
    ['delete_%', '"%" stands for itself', 'delete_*'],
    ['delete_%2A', '"%2A" is not decoded', 'delete_*'],
    ['**', '"**" is the same as one *', '*'],
    ['fs/**/read', '"**" is the same as one *', 'fs/*/read'],
    ['!read', '"!" negates nothing', 'read'],
  ])('%s', (text, says, meant) => {
    expect(patternDoubt(text)).toContain(says);
    expect(patternDoubt(text)).toContain(`. Did you mean ${JSON.stringify(meant)}?`);
  });

  it.each([
    ['delete_[abc]', '"[abc]" stands for itself'],
    ['(delete|drop)_x', '"(delete|drop)" stands for itself'],
    ['delete,drop', '"," separates nothing'],
    ['delete;drop', '";" separates nothing'],
    ['delete|drop', '"|" separates nothing'],
    ['{delete,drop}_x', '"{delete,drop}" has no meaning here'],
    ['\u0024{TOOL}', '"\u0024{TOOL}" is not filled in'],
    ['{{tool}}', '"{{tool}}" is not filled in'],
    ['<tool>', '"<tool>" is not filled in'],
    ['all', '"all" is one name'],
    ['Everything', '"Everything" is one name'],
  ])('%s, which no single pattern can express', (text, says) => {
    expect(patternDoubt(text)).toContain(says);
    expect(patternDoubt(text)).not.toContain('Did you mean');
  });
});
