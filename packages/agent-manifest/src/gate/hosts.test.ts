import { describe, expect, test } from 'vitest';
import { allowedHosts, leadsOut } from './hosts.ts';

describe('a strict gate', () => {
  test.each([
    ['good.example', 'mcp://good.example', true],
    ['good.example', 'mcp://good.example.', true],
    ['good.example.', 'mcp://good.example', true],
    ['GOOD.example', 'https://good.EXAMPLE:443/a?b#c', true],
    ['good.example', 'https://good.example..', false],
    ['good.example', 'https://good.example@evil.example/', false],
    ['good.example', 'https://evil.example?good.example', false],
    ['good.example', 'https://evil.example#good.example', false],
    ['good.example', 'https://evil.example\\@good.example', false],
    ['good.example', 'https://good.example\\.evil.example', false],
    ['good.example', 'https://good.exam\tple', false],
    ['good.example', 'https://good%2eexample', false],
    ['good.example', 'https://good.example:80:80', false],
    ['good.example', 'https://[good.example]', false],
    ['good.example', 'https:good.example', false],
    ['good.example', 'https:///good.example', false],
    ['good.example', 'good.example', false],
    ['xn--bcher-kva.example', 'https://bücher.example', true],
    ['*.bücher.example', 'https://a.xn--bcher-kva.example', true],
    ['good.example', 'https://ｇｏｏｄ.example', true],
    ['*.corp.example', 'mcp://a.b.corp.example', true],
    ['*.corp.example', 'mcp://.corp.example', false],
    ['*.corp.example', 'mcp://corp.example.evil.example', false],
    ['127.0.0.1', 'http://2130706433/', true],
    ['[::1]', 'http://[0:0:0:0:0:0:0:1]', true],
    ['::1', 'http://[::1]', false],
    ['', 'mcp://', false],
  ])('with the allowed host %s, checks the host %s: %s', (domain, address, allowed) => {
    expect(allowedHosts([domain], true)(address)).toBe(allowed);
  });
});

test.each([
  ['api.example', 'mcp://api.example:1/x', true],
  ['API.example', 'mcp://api.example', false],
  ['api.example', 'mcp://api.example.', false],
  ['*.corp.example', 'mcp://a.corp.example', true],
  ['*.corp.example', 'mcp://a.CORP.example', false],
])('a gate that is not strict compares hosts character by character: %s, %s', (domain, address, allowed) => {
  expect(allowedHosts([domain], false)(address)).toBe(allowed);
});

test.each([
  ['https://a.example/x.md', true],
  ['http:a.example', true],
  ['data:text/plain,x', true],
  ['//a.example/x.md', true],
  ['\\\\a.example\\x', true],
  ['knowledge/a.md', false],
  ['./a:b.md', false],
  ['kb-1', false],
])('knows whether %s leads out of the folder', (text, out) => {
  expect(leadsOut(text)).toBe(out);
});

test('answers quickly for an address with a million dots', () => {
  const address = `mcp://${'a.'.repeat(500_000)}example`;
  const startedMs = performance.now();
  expect(allowedHosts(['*.example'], true)(address)).toBe(false);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
