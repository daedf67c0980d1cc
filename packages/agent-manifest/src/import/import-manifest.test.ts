import { describe, expect, test } from 'vitest';
import { importManifest } from './import-manifest.ts';
import { faultsOf, imported } from './imported.fixture.ts';

describe('an import', () => {
  test.each([
    ['.mcp.json', '{"mcpServers": {"a": {"command": "x"}}}', 'mcp'],
    ['.claude/agents/a.md', '---\nname: a\n---\n', 'claude-code'],
    ['.github/agents/a.agent.md', '---\nname: a\n---\n', 'copilot'],
    ['any.yaml', 'a: { role: r, goal: g, backstory: b }\n', 'crewai'],
    ['any.yaml', 'agents: { root: { instruction: x } }\n', 'cagent'],
    ['any.json', '{"component_type": "Agent", "name": "a"}', 'agent-spec'],
    ['any.json', '{"skills": [], "url": "https://a.example.com", "name": "a"}', 'a2a'],
    ['any.json', '{"name": "a", "remotes": [{"url": "https://a.example.com"}]}', 'mcp-registry'],
  ])('of %s with %s guesses the format', (path, text, format) => {
    expect(imported(null, { [path]: text }).manifest.metadata.imported_from).toBe(format);
  });

  test('of a file of an unknown format is refused, and so is an import without a file', () => {
    expect(faultsOf(null, { 'a.yaml': 'x: 1\n' })).toEqual(['FORMAT_UNKNOWN 1']);
    expect(importManifest([], null)).toMatchObject({ ok: false, faults: [{ code: 'NOTHING_TO_IMPORT' }] });
  });

  test('prefers the name in the options to the name in the file', () => {
    expect(imported(null, { 'a.md': '---\nname: a\n---\n' }, { name: 'Team' }).manifest.metadata.name).toBe(
      'Team',
    );
  });

  test('of a text that is too long for a manifest is refused', () => {
    const text = `---\nname: a\ndescription: b\n---\n${'x'.repeat(70_000)}`;
    expect(faultsOf('claude-code', { 'a.md': text })).toEqual(['MANIFEST_INVALID 1 definitions.a.backstory']);
  });
});
