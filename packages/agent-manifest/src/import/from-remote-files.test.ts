import { describe, expect, test } from 'vitest';
import { faultsOf, imported, toolsByAgent, warningsOf } from './imported.fixture.ts';

describe('agent cards of A2A', () => {
  const card = {
    name: 'Booking',
    description: 'Books rooms.',
    version: '1.2.0',
    protocolVersion: '0.3.0',
    url: 'https://book.example.com/a2a',
    capabilities: { streaming: true },
    skills: [
      { id: 'find_room', name: 'Find a room', description: 'Finds.', tags: ['rooms'] },
      { id: 'book room', name: 'Book', description: 'Books.' },
    ],
    securitySchemes: { key: { type: 'apiKey' } },
  };

  test('become a tool for each skill, and no agent is allowed to use it', () => {
    const result = imported(null, { 'agent-card.json': JSON.stringify(card) });
    expect(result.manifest.metadata).toMatchObject({
      name: 'Booking',
      version: '1.2.0',
      requires_auth: true,
    });
    expect(result.manifest.definitions).toEqual({
      find_room: {
        type: 'tool',
        name: 'find_room',
        uri: 'https://book.example.com/a2a#find_room',
        risk_level: 'standard',
        description: 'Finds.',
      },
    });
    expect(toolsByAgent(result)).toEqual({});
    expect(warningsOf(result)).toEqual([
      'FIELD_NOT_TAKEN 1 skills.0.tags',
      'TOOL_NAME_INVALID 1 skills.1',
      'FIELD_NOT_TAKEN 1 capabilities',
    ]);
  });

  test('of version 1.0 have their address in supportedInterfaces', () => {
    const { url, protocolVersion: _, ...rest } = card;
    const text = JSON.stringify({ ...rest, supportedInterfaces: [{ url, protocolBinding: 'JSONRPC' }] });
    expect(imported('a2a', { 'card.json': text }).manifest.definitions).toHaveProperty('find_room');
    expect(faultsOf('a2a', { 'card.json': JSON.stringify(rest) })).toEqual(['FIELD_MISSING 1']);
  });
});

describe('servers of the MCP registry', () => {
  const server = {
    name: 'io.example/weather',
    description: 'Weather.',
    version: '1.0.2',
    packages: [
      {
        registryType: 'npm',
        identifier: '@example/weather-mcp',
        version: '1.0.2',
        environmentVariables: [{ name: 'WEATHER_KEY', isSecret: true }],
      },
    ],
    remotes: [
      { type: 'streamable-http', url: 'https://weather.example.com/mcp', headers: [{ name: 'X-Key' }] },
    ],
  };

  test('become a pack with the command of the first package, and none of its tools', () => {
    const result = imported(null, { 'server.json': JSON.stringify(server) });
    expect(result.servers).toEqual({
      weather: {
        command: 'npx',
        args: ['-y', '@example/weather-mcp@1.0.2'],
        env: { WEATHER_KEY: `$${'{env:WEATHER_KEY}'}` },
      },
    });
    expect(result.manifest.definitions).toMatchObject({ 'io-example-weather': { type: 'tool_pack' } });
    expect(warningsOf(result)).toEqual(['FIELD_NOT_TAKEN 1', 'TOOLS_NOT_NAMED 1']);
  });

  test('may have an address and no package, and are refused if both are missing', () => {
    const { packages: _, ...remote } = server;
    expect(imported('mcp-registry', { 'server.json': JSON.stringify(remote) }).servers).toEqual({
      weather: { url: 'https://weather.example.com/mcp', headers: { 'X-Key': `$${'{env:X_KEY}'}` } },
    });
    expect(faultsOf('mcp-registry', { 'server.json': '{"name": "a"}' })).toEqual(['NOTHING_TO_IMPORT 1']);
  });
});
