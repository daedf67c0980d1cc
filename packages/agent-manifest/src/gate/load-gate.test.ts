import { expect, test } from 'vitest';
import { loadGate } from './load-gate.ts';

function faultsOf(text: string | Uint8Array): string[] {
  const read = loadGate(text);
  return read.ok
    ? []
    : read.faults.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
}

test('reads a gate, with defaults for the fields that it leaves out', () => {
  expect(loadGate('# ours\nmax_risk_level: standard\nallowed_domains: ["*.corp.example"]\n')).toEqual({
    ok: true,
    gate: {
      max_risk_level: 'standard',
      allowed_domains: ['*.corp.example'],
      require_auth_for_critical_tools: true,
      allow_inline_tools: true,
      allow_custom_logic: false,
      strict_url_validation: true,
      allow_mcp_commands: false,
    },
  });
  expect(loadGate('{}')).toMatchObject({ ok: true });
});

test('reports each fault with its code and place, in the order of the file', () => {
  const text = [
    'max_risk_level: high',
    'allow_custom_logic: "no"',
    'allowed_domains: [a.example, "https://b.example", 7]',
    'max_risk: safe',
    'allow_inline_tools: null',
  ].join('\n');
  expect(faultsOf(text)).toEqual([
    'VALUE_WRONG max_risk_level 1:1',
    'TYPE_WRONG allow_custom_logic 2:1',
    'VALUE_WRONG allowed_domains.1 3:30',
    'TYPE_WRONG allowed_domains.2 3:51',
    'FIELD_UNKNOWN max_risk 4:1',
    'TYPE_WRONG allow_inline_tools 5:1',
  ]);
});

test.each([
  ['nothing', '', 'YAML_INVALID  1:1'],
  ['only a comment', '# later\n', 'YAML_INVALID  1:1'],
  ['two documents', '{}\n---\n{}\n', 'YAML_INVALID  2:1'],
  ['a key twice', 'max_risk_level: safe\nmax_risk_level: critical\n', 'YAML_INVALID max_risk_level 2:1'],
  ['a list', '- safe\n', 'TYPE_WRONG  1:1'],
  ['null', 'null\n', 'TYPE_WRONG  1:1'],
  ['bytes that are no text', new Uint8Array([0x7b, 0x80, 0x7d]), 'YAML_INVALID  1:2'],
])('refuses a file with %s', (_what, text, fault) => {
  expect(faultsOf(text)).toEqual([fault]);
});

test('refuses a gate of more than a mebibyte at once', () => {
  const startedMs = performance.now();
  expect(faultsOf(`allowed_domains: [${'a.example, '.repeat(100_000)}]`)).toHaveLength(1);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
