import { compileArgumentRules, stepBudgetOfAction } from '@mandate/policy';
import { describe, expect, test } from 'vitest';
import { agentOf, faultsOf, imported, toolsByAgent, warningsOf } from './imported.fixture.ts';

const REVIEWER = `---
name: reviewer
description: Reviews changes before they are merged.
tools: Read, Grep, Write, Bash, mcp__issues__get_issue, Telepathy
model: sonnet
---

You review changes.

Be brief.
`;

/** Returns a function that tells whether the schema of a tool's arguments accepts them. */
function acceptedBy(policies: ReturnType<typeof imported>['policies'], tool: string) {
  const schema = policies[0]?.policy.toolPolicies?.[tool]?.argumentValidation?.schema;
  if (schema === undefined) throw new Error(`${tool} has no schema`);
  const compiled = compileArgumentRules({ schema });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults));
  return (args: unknown) => compiled.validate(args, stepBudgetOfAction()) === null;
}

function agentWith(fields: string): Record<string, string> {
  return { 'a.md': `---\nname: a\ndescription: b\n${fields}\n---\nText.` };
}

describe('agents of Claude Code', () => {
  test('get the tools that their file names, with ratings', () => {
    const result = imported(null, { 'reviewer.md': REVIEWER });
    expect(agentOf(result, 'reviewer')).toMatchObject({
      name: 'reviewer',
      role: 'reviewer',
      goal: 'Reviews changes before they are merged.',
      backstory: 'You review changes.\n\nBe brief.',
      model: 'sonnet',
    });
    expect(toolsByAgent(result)).toEqual({
      reviewer: [
        'Read safe',
        'Grep safe',
        'Write standard',
        'Bash critical',
        'get_issue unrated',
        'Telepathy unrated',
      ],
    });
    expect(result.manifest.definitions?.Read).toMatchObject({ uri: 'mcp://claude-code#Read' });
    expect(agentOf(result, 'reviewer').tools).toContain('mcp://issues#get_issue');
    expect(warningsOf(result)).toEqual(['TOOL_UNKNOWN 4 tools']);
  });

  test('get no tool from a file without tools, and every known tool if an option says so', () => {
    const files = { 'a.md': '---\nname: a\ndescription: b\nmodel: inherit\n---\n' };
    const none = imported('claude-code', files);
    expect(toolsByAgent(none)).toEqual({ a: [] });
    expect(agentOf(none, 'a').model).toBeUndefined();
    expect(warningsOf(none)).toEqual(['TOOLS_NOT_NAMED 2 tools']);
    expect(none.warnings[0]?.message).toContain('Read, Glob, Grep');
    const all = imported('claude-code', files, {
      tools: 'all',
      servers: { issues: [{ name: 'get_issue', readOnly: true }] },
    });
    expect(toolsByAgent(all).a).toEqual(
      expect.arrayContaining(['Read safe', 'Bash critical', 'get_issue safe']),
    );
    expect(warningsOf(all)).toEqual([]);
  });

  test('get no tool for * and for a whole server, unless the names of the tools are known and an option asks for them', () => {
    const files = agentWith('tools: ["*", mcp__issues, "mcp__docs__*"]');
    expect(toolsByAgent(imported('claude-code', files))).toEqual({ a: [] });
    const options = { tools: 'all', servers: { docs: [{ name: 'find' }] } } as const;
    const result = imported('claude-code', agentWith('tools: [mcp__issues, "mcp__docs__*"]'), options);
    expect(toolsByAgent(result)).toEqual({ a: ['find unrated'] });
    expect(warningsOf(result)).toEqual(['TOOLS_NOT_NAMED 4 tools.0']);
  });

  test('keep the command that stands in brackets after a tool', () => {
    const result = imported('claude-code', agentWith('tools: Bash(git *), Bash(npm test), Bash(ls:*)'));
    expect(toolsByAgent(result)).toEqual({ a: ['Bash critical'] });
    const accepts = acceptedBy(result.policies, 'Bash');
    for (const command of ['git status', 'git log -p a.ts', 'npm test', 'ls', 'ls -la'])
      expect(accepts({ command })).toBe(true);
    for (const command of [
      'rm -rf /',
      'git status; rm -rf /',
      'git $(rm x)',
      'git a\nrm b',
      'npm test x',
      'lsof',
      'git a > b',
    ])
      expect(accepts({ command })).toBe(false);
    expect(accepts({})).toBe(false);
    expect(warningsOf(result)).toEqual([
      'RULE_STRICTER 4 tools',
      'RULE_STRICTER 4 tools',
      'RULE_STRICTER 4 tools',
    ]);
  });

  test('have no rule about brackets for a tool that is also named without brackets', () => {
    expect(imported('claude-code', agentWith('tools: Bash(git *), Bash')).policies).toEqual([]);
  });

  test('keep the files and addresses that stand in brackets after a tool', () => {
    const result = imported(
      'claude-code',
      agentWith('tools: Read(src/**), Write(/notes/*.md), WebFetch(domain:example.com)'),
    );
    const reads = acceptedBy(result.policies, 'Read');
    expect(['src/a.ts', 'src/a/b.ts'].map((file_path) => reads({ file_path }))).toEqual([true, true]);
    for (const file_path of ['a.ts', '/etc/src/a', 'src/../../etc/passwd', 'src/..', '/src/a.ts'])
      expect(reads({ file_path })).toBe(false);
    const writes = acceptedBy(result.policies, 'Write');
    expect(writes({ file_path: 'notes/a.md' })).toBe(true);
    for (const file_path of ['notes/a/b.md', 'notes/a.ts', 'notes/../notes/a.md'])
      expect(writes({ file_path })).toBe(false);
    const fetches = acceptedBy(result.policies, 'WebFetch');
    for (const url of ['https://example.com', 'https://example.com/a?b', 'http://example.com:80/'])
      expect(fetches({ url })).toBe(true);
    for (const url of [
      'https://example.com.evil.test/',
      'https://example.com@evil.test',
      'https://example.com:1@evil.test',
      'https://a.example.com',
    ])
      expect(fetches({ url })).toBe(false);
  });

  test('lose a tool if the text in its brackets cannot be kept', () => {
    const result = imported('claude-code', agentWith('tools: Grep(x), Read(~/notes/**), Glob'));
    expect(toolsByAgent(result)).toEqual({ a: ['Glob safe'] });
    expect(warningsOf(result)).toEqual(['TOOL_NOT_TAKEN 4 tools', 'TOOL_NOT_TAKEN 4 tools']);
  });

  test('are denied the tools that their file denies', () => {
    const result = imported(
      'claude-code',
      agentWith('tools: Read, Write, Bash\ndisallowedTools: Write, Bash(rm *)'),
    );
    expect(toolsByAgent(result)).toEqual({ a: ['Read safe', 'Bash critical'] });
    expect(result.policies[0]?.policy.deniedTools).toEqual(['Write']);
    const accepts = acceptedBy(result.policies, 'Bash');
    expect(accepts({ command: 'ls' })).toBe(true);
    for (const command of ['rm -rf /', 'ls; rm -rf /', 'sudo RM x']) expect(accepts({ command })).toBe(false);
    expect(warningsOf(result)).toEqual(['RULE_STRICTER 5 disallowedTools']);
  });

  test('may only read in the mode `plan`, and are refused in the mode that checks nothing', () => {
    const result = imported('claude-code', agentWith('tools: Read, Bash\npermissionMode: plan'));
    expect(toolsByAgent(result)).toEqual({ a: ['Read safe'] });
    expect(faultsOf('claude-code', agentWith('permissionMode: bypassPermissions'))).toEqual([
      'PERMISSIONS_BYPASSED 4 permissionMode',
    ]);
    expect(faultsOf('claude-code', agentWith('permissionMode: yolo'))).toEqual([
      'VALUE_WRONG 4 permissionMode',
    ]);
  });

  test('start no other agents, and keep their limit of turns in a document beside the manifest', () => {
    const result = imported('claude-code', agentWith('tools: Agent(worker), Task, Read\nmaxTurns: 7'));
    expect(toolsByAgent(result)).toEqual({ a: ['Read safe'] });
    expect(result.policies).toEqual([{ agent: 'a', policy: {}, maxTurns: 7 }]);
    expect(warningsOf(result)).toEqual(['DELEGATION_NOT_TAKEN 4 tools', 'DELEGATION_NOT_TAKEN 4 tools']);
  });

  test('are imported from a folder as one manifest, each with its own key', () => {
    const other = REVIEWER.replace('Reviews changes', 'Reviews pages');
    const result = imported('claude-code', {
      'x/reviewer.md': REVIEWER,
      'y/reviewer.md': other,
      'z/Read.md': '---\nname: Read\ntools: Read\n---\n',
    });
    expect(Object.keys(toolsByAgent(result))).toEqual(['reviewer', 'reviewer-2', 'Read']);
    expect(result.manifest.definitions).toMatchObject({ 'Read-2': { type: 'tool', id: 'Read' } });
    expect(result.manifest.metadata.name).toBe('agents');
  });

  test('get different names for tools of two servers that have the same name', () => {
    const result = imported('claude-code', agentWith('tools: mcp__a__search, mcp__b__search'));
    expect(toolsByAgent(result)).toEqual({ a: ['search unrated', 'b.search critical'] });
    expect(warningsOf(result)).toEqual(['TOOL_RENAMED 4 tools']);
  });

  test('declare their own servers, without the secrets of the servers', () => {
    const result = imported(
      'claude-code',
      agentWith(
        'tools: mcp__pay__charge\nmcpServers:\n  - pay:\n      command: pay\n      env: { KEY: k-1 }\n  - other\ncolor: red\nfoo: 1',
      ),
    );
    expect(result.servers).toEqual({ pay: { command: 'pay', args: [], env: { KEY: `$${'{env:KEY}'}` } } });
    expect(warningsOf(result)).toEqual([
      'SECRET_IN_MANIFEST 8 mcpServers.0.pay.env.KEY',
      'FIELD_NOT_TAKEN 10 color',
      'FIELD_UNKNOWN 11 foo',
    ]);
  });

  test('are refused if the frontmatter is missing or is not YAML, and the fault names the line', () => {
    expect(faultsOf('claude-code', { 'a.md': '# An agent\n' })).toEqual(['FRONTMATTER_MISSING 1']);
    expect(faultsOf('claude-code', { 'a.md': '---\nname: a\n' })).toEqual(['FRONTMATTER_MISSING 1']);
    expect(faultsOf('claude-code', { 'a.md': '---\nname: a\ndescription: use this: always\n---\n' })).toEqual(
      ['YAML_INVALID 3'],
    );
    expect(faultsOf('claude-code', { 'a.md': '---\nname: a\nname: b\n---\n' })).toEqual([
      'YAML_INVALID 3 name',
    ]);
    expect(faultsOf('claude-code', { 'a.md': '---\n__proto__: a\n---\n' })).toEqual(['YAML_INVALID 2']);
    expect(faultsOf('claude-code', { 'a.md': '---\ntools: { a: b }\n---\n' })).toEqual([
      'TYPE_WRONG 2 tools',
    ]);
  });

  test('are all refused if one file of their folder is refused', () => {
    expect(faultsOf('claude-code', { 'a.md': REVIEWER, 'b.md': 'x' })).toEqual(['FRONTMATTER_MISSING 1']);
  });
});
