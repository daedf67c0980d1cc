import { compileArgumentRules, stepBudgetOfAction } from '@mandate/policy';
import { describe, expect, test } from 'vitest';
import { agentOf, faultsOf, imported, toolsByAgent, warningsOf } from './imported.fixture.ts';

const TEAM = `
agents:
  root:
    model: main
    description: Leads.
    instruction: You lead.
    sub_agents: [helper]
    toolsets:
      - type: filesystem
      - type: think
      - type: shell
      - type: mcp
        ref: tickets
      - type: mcp
        remote: { url: https://wiki.example.com/mcp, headers: { Authorization: Bearer b-1 } }
        tools: [find_page]
  helper:
    model: openai/gpt-4o
    description: Helps.
    max_iterations: 4
    toolsets:
      - type: filesystem
        tools: [read_file, remove_directory]
      - type: script
        shell:
          disk_usage: { cmd: du -sh $dir, description: Measures., args: { dir: { type: string } } }
    structured_output:
      name: answer
      schema: { type: object, properties: { text: { type: string } } }
models:
  main: { provider: anthropic, model: claude-sonnet-4-0, max_tokens: 64000 }
mcps:
  tickets:
    command: npx
    args: [-y, tickets-mcp]
    env: { KEY: "\${TICKETS_KEY}" }
    tools: [get_ticket]
`;

describe('agents of docker cagent', () => {
  test('get the tools that their file names, and no tool set as a whole', () => {
    const result = imported(null, { 'team.yaml': TEAM });
    expect(toolsByAgent(result)).toEqual({
      root: ['think safe', 'shell critical', 'get_ticket unrated', 'find_page unrated'],
      helper: ['read_file safe', 'remove_directory critical', 'disk_usage unrated'],
    });
    expect(result.servers).toEqual({
      tickets: { command: 'npx', args: ['-y', 'tickets-mcp'], env: { KEY: `$${'{env:TICKETS_KEY}'}` } },
      'wiki-example-com': {
        url: 'https://wiki.example.com/mcp',
        headers: { Authorization: `$${'{env:SERVER_AUTHORIZATION}'}` },
      },
    });
    expect(warningsOf(result)).toEqual([
      'FIELD_NOT_TAKEN 31 models.main.max_tokens',
      'TOOLS_NOT_NAMED 9 agents.root.toolsets.0',
      'TOOLS_NOT_NAMED 11 agents.root.toolsets.2',
      'SECRET_IN_MANIFEST 15 agents.root.toolsets.4.remote.headers.Authorization',
      'DELEGATION_NOT_TAKEN 7 agents.root.sub_agents',
      'FIELD_NOT_TAKEN 26 agents.helper.toolsets.1.shell.disk_usage.cmd',
    ]);
  });

  test('keep model, provider, prompt, outputs and limits', () => {
    const result = imported('cagent', { 'team.yaml': TEAM });
    expect(agentOf(result, 'root')).toMatchObject({
      goal: 'Leads.',
      backstory: 'You lead.',
      model: 'claude-sonnet-4-0',
    });
    expect(agentOf(result, 'helper')).toMatchObject({
      model: 'gpt-4o',
      interface: { outputs: { type: 'object', properties: { text: { type: 'string' } } } },
    });
    expect(result.policies).toEqual([
      { agent: 'root', policy: { allowedProviders: ['anthropic'] } },
      { agent: 'helper', policy: { allowedProviders: ['openai'] }, maxTurns: 4 },
    ]);
  });

  test('get a tool set as a whole if an option names the set', () => {
    const text = 'agents:\n  a:\n    description: x\n    model: m\n    toolsets: [{ type: todo }]\n';
    expect(toolsByAgent(imported('cagent', { 'a.yaml': text }))).toEqual({ a: [] });
    expect(toolsByAgent(imported('cagent', { 'a.yaml': text }, { tools: 'all' }))).toEqual({
      a: ['create_todo safe', 'create_todos safe', 'update_todos safe', 'list_todos safe'],
    });
  });

  test('are denied the tools that the permissions deny, and ask a person about tools that the permissions do not allow', () => {
    const text = `
agents:
  root:
    description: x
    model: m
    toolsets:
      - { type: filesystem, tools: [read_file, write_file, remove_directory, list_directory] }
      - { type: shell, tools: [shell] }
permissions:
  deny: ["remove_*", "shell:cmd=sudo*", "write_file:path=/etc/*"]
  allow: ["READ_file", "shell:cmd=ls*", "list_[d]irectory"]
`;
    const result = imported('cagent', { 'a.yaml': text });
    expect(toolsByAgent(result)).toEqual({
      root: ['read_file safe', 'write_file standard', 'list_directory safe', 'shell critical'],
    });
    const { deniedTools, toolPolicies = {} } = result.policies[0]?.policy ?? {};
    expect(deniedTools).toEqual(['remove_*', 'remove_directory']);
    expect(Object.keys(toolPolicies).filter((tool) => toolPolicies[tool]?.requiresConfirmation)).toEqual([
      'write_file',
      'list_directory',
      'shell',
    ]);
    const accepts = (tool: string, args: unknown) => {
      const compiled = compileArgumentRules(toolPolicies[tool]?.argumentValidation ?? {});
      if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
      return compiled.validate(args, stepBudgetOfAction()) === null;
    };
    expect(accepts('shell', { cmd: 'ls -la' })).toBe(true);
    expect(accepts('shell', { cmd: 'sudo ls' })).toBe(false);
    expect(accepts('shell', { cmd: 'ls && SUDO ls' })).toBe(false);
    expect(accepts('write_file', { path: '/home/a' })).toBe(true);
    expect(accepts('write_file', { path: '/ETC/passwd' })).toBe(false);
    expect(warningsOf(result)).toEqual([
      'RULE_STRICTER 11 permissions.allow.1',
      'RULE_STRICTER 11 permissions.allow.2',
    ]);
  });

  test('give two servers with the same name different names', () => {
    const set = (key: string) => `{ type: mcp, name: pay, command: pay, args: [${key}], tools: [charge] }`;
    const text = `agents:\n  a: { description: x, toolsets: [${set('one')}, ${set('two')}, ${set('one')}] }\n`;
    const result = imported('cagent', { 'a.yaml': text });
    expect(Object.keys(result.servers)).toEqual(['pay', 'pay-2']);
    expect(toolsByAgent(result)).toEqual({ a: ['charge unrated', 'pay-2.charge critical'] });
  });

  test('are refused without agents, and with patterns that name no tool', () => {
    expect(faultsOf('cagent', { 'a.yaml': 'models: {}\n' })).toEqual(['FIELD_MISSING 1']);
    const text = 'agents: { a: { description: x } }\npermissions: { deny: ["rm -rf"] }\n';
    expect(faultsOf('cagent', { 'a.yaml': text })).toEqual(['VALUE_WRONG 2 permissions.deny.0']);
  });
});
