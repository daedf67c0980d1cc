import { describe, expect, test } from 'vitest';
import { faultsOf, imported, warningsOf } from './imported.fixture.ts';

const CLAUDE = `{
  "mcpServers": {
    "issues": {
      "command": "npx",
      "args": ["-y", "issues-mcp", "--api-key", "k-123", "--region=eu", "--token=t-9"],
      "env": { "ISSUES_TOKEN": "t-456", "HOME_DIR": "\${HOME}" }
    },
    "docs": {
      "type": "http",
      "url": "https://ann:secret@docs.example.com/mcp?key=k-7",
      "headers": { "Authorization": "Bearer b-1" }
    }
  }
}`;

describe('configurations of MCP servers', () => {
  test('become a pack for each server, and allow no agent anything', () => {
    const { manifest, servers } = imported('mcp', { '.mcp.json': CLAUDE });
    expect(manifest).toMatchObject({ kind: 'Agent', metadata: { name: 'mcp' } });
    expect(manifest.definitions).toEqual({
      issues: {
        type: 'tool_pack',
        metadata: { name: 'issues', description: 'The server issues of mcp.', author: 'unknown' },
        mcp_servers: [
          {
            type: 'mcp_server',
            name: 'issues',
            command: 'npx',
            args: [
              '-y',
              'issues-mcp',
              '--api-key',
              ...['{env:ISSUES_API_KEY}'].map((name) => `$${name}`),
              '--region=eu',
              `--token=$${'{env:ISSUES_TOKEN}'}`,
            ],
            env: { ISSUES_TOKEN: `$${'{env:ISSUES_TOKEN}'}`, HOME_DIR: `$${'{env:HOME}'}` },
          },
        ],
      },
      docs: {
        type: 'tool_pack',
        metadata: {
          name: 'docs',
          description: 'The server docs of mcp.',
          author: 'unknown',
          homepage: 'https://docs.example.com/mcp',
        },
      },
    });
    expect(servers.docs).toEqual({
      url: 'https://docs.example.com/mcp',
      headers: { Authorization: `$${'{env:DOCS_AUTHORIZATION}'}` },
    });
  });

  test('keep no secret, and say where each secret was', () => {
    const result = imported('mcp', { '.mcp.json': CLAUDE });
    for (const secret of ['k-123', 't-456', 't-9', 'b-1', 'k-7', 'ann', 'secret@'])
      expect(JSON.stringify([result.manifest, result.servers, result.warnings])).not.toContain(secret);
    expect(warningsOf(result)).toEqual([
      'SECRET_IN_MANIFEST 5 mcpServers.issues.args.3',
      'SECRET_IN_MANIFEST 5 mcpServers.issues.args.5',
      'SECRET_IN_MANIFEST 6 mcpServers.issues.env.ISSUES_TOKEN',
      'TOOLS_NOT_NAMED 3 mcpServers.issues',
      'SECRET_IN_MANIFEST 10 mcpServers.docs.url',
      'SECRET_IN_MANIFEST 11 mcpServers.docs.headers.Authorization',
      'TOOLS_NOT_NAMED 8 mcpServers.docs',
    ]);
  });

  test('define the tools that a server is known to list, with the descriptions from the server', () => {
    const options = {
      servers: {
        issues: [
          { name: 'get_issue', readOnly: true, description: 'Reads an issue.' },
          { name: 'label_issue', readOnly: false, destructive: false },
          { name: 'drop_issue', readOnly: true, destructive: true },
          { name: 'sync' },
        ],
      },
    };
    const { manifest } = imported('mcp', { 'mcp.json': CLAUDE }, options);
    expect(manifest.definitions).toMatchObject({
      get_issue: {
        type: 'tool',
        uri: 'mcp://issues#get_issue',
        risk_level: 'safe',
        description: 'Reads an issue.',
      },
      label_issue: { risk_level: 'standard' },
      drop_issue: { risk_level: 'critical' },
      sync: { risk_level: 'critical' },
      issues: { tools: ['get_issue', 'label_issue', 'drop_issue', 'sync'] },
    });
  });

  test('are read in the form that VS Code writes, with comments', () => {
    const text = `{
      // the server of the team
      "inputs": [{ "id": "key", "type": "promptString" }], /* asked */
      "servers": { "team": { "type": "stdio", "command": "team-mcp", "env": { "KEY": "\${input:key}" } } },
    }`;
    const result = imported(null, { '.vscode/mcp.json': text });
    expect(result.servers).toEqual({
      team: { command: 'team-mcp', args: [], env: { KEY: `$${'{env:KEY}'}` } },
    });
    expect(warningsOf(result)).toEqual(['TOOLS_NOT_NAMED 4 servers.team', 'FIELD_NOT_TAKEN 3 inputs']);
  });

  test('warn of unknown fields, of servers that are switched off, and of servers without an address', () => {
    const text =
      '{"mcpServers": {"a": {"command": "x", "comand": 1}, "b": {"command": "x", "disabled": true}, "c": {}}}';
    const result = imported('mcp', { 'mcp.json': text });
    expect(warningsOf(result)).toEqual([
      'FIELD_UNKNOWN 1 mcpServers.a.comand',
      'TOOLS_NOT_NAMED 1 mcpServers.a',
      'FIELD_NOT_TAKEN 1 mcpServers.b',
      'ADDRESS_NOT_TAKEN 1 mcpServers.c',
    ]);
    expect(Object.keys(result.manifest.definitions ?? {})).toEqual(['a']);
  });

  test('are refused without servers, with a key twice, and with a wrong type', () => {
    expect(faultsOf('mcp', { 'mcp.json': '{}' })).toEqual(['FIELD_MISSING 1']);
    expect(faultsOf('mcp', { 'mcp.json': '{"mcpServers": {"a": {}, "a": {}}}' })).toEqual([
      'YAML_INVALID 1 mcpServers.a',
    ]);
    expect(faultsOf('mcp', { 'mcp.json': '{"mcpServers": {\n"a": 3}}' })).toEqual([
      'TYPE_WRONG 2 mcpServers.a',
    ]);
  });
});
