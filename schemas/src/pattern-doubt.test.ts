import { describe, expect, it } from 'vitest';
import { patternDoubt } from './pattern-doubt.ts';

describe('accepts without a doubt', () => {
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
  ])('the pattern %s', (text) => expect(patternDoubt(text)).toBeNull());

  it('a pattern that ends in .* if other names contain dots', () => {
    expect(patternDoubt('mail.*', ['mail.send', 'read'])).toBeNull();
    expect(patternDoubt('mail.*', ['read', 'mail.*'])).toMatch(/continue with a dot/);
  });
});

describe('a pattern raises a doubt, and the doubt names the pattern that was probably meant', () => {
  it.each([
    ['delete_?', '"?" matches only itself', 'delete_*'],
    ['delete_????', '"?" matches only itself', 'delete_*'],
    ['^delete_', '"^" matches only itself', 'delete_*'],
    ['^delete_.*$', '"^" matches only itself', 'delete_*'],
    ['_admin$', '"$" matches only itself', '*_admin'],
    ['.*delete.*', '".*" matches only itself', '*delete*'],
    ['delete_.*', '".*" matches only itself', 'delete_*'],
    ['delete.*', '".*" matches only names that continue with a dot', 'delete*'],
    ['delete_.+', '".+" matches only itself', 'delete_*'],
    ['delete_\\w+', '"\\\\w" matches only itself', 'delete_*'],
    ['mail\\.send', '"\\\\." matches only itself', 'mail.send'],
    ['/^delete_/i', '"/^delete_/i" has no meaning here', 'delete_*'],
    ['regex:delete_.*', '"regex:" has no meaning here', 'delete_*'],
    ['"rm"', '"\\"" is part of the pattern', 'rm'],
    ["'rm'", '"\'" is part of the pattern', 'rm'],
    ['“rm”', '"“" is part of the pattern', 'rm'],
    ['«rm»', '"«" is part of the pattern', 'rm'],
    ['delete_＊', '"＊" looks like a *', 'delete_*'],
    ['delete_∗', '"∗" looks like a *', 'delete_*'],
    ['delete_✱', '"✱" looks like a *', 'delete_*'],
    ['delete_%', '"%" matches only itself', 'delete_*'],
    ['delete_%2A', '"%2A" is not decoded', 'delete_*'],
    ['**', '"**" is the same as one *', '*'],
    ['fs/**/read', '"**" is the same as one *', 'fs/*/read'],
    ['!read', '"!" does not negate', 'read'],
  ])('%s', (text, says, meant) => {
    expect(patternDoubt(text)).toContain(says);
    expect(patternDoubt(text)).toContain(`. Did you mean ${JSON.stringify(meant)}?`);
  });

  it.each([
    ['delete_[abc]', '"[abc]" matches only itself'],
    ['(delete|drop)_x', '"(delete|drop)" matches only itself'],
    ['delete,drop', '"," does not separate entries'],
    ['delete;drop', '";" does not separate entries'],
    ['delete|drop', '"|" does not separate entries'],
    ['{delete,drop}_x', '"{delete,drop}" has no meaning here'],
    ['\u0024{TOOL}', '"\u0024{TOOL}" is not filled in'],
    ['{{tool}}', '"{{tool}}" is not filled in'],
    ['<tool>', '"<tool>" is not filled in'],
    ['all', '"all" is one name'],
    ['Everything', '"Everything" is one name'],
  ])('%s, although no single pattern can express what was meant', (text, says) => {
    expect(patternDoubt(text)).toContain(says);
    expect(patternDoubt(text)).not.toContain('Did you mean');
  });
});
