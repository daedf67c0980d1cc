import { describe, expect, test } from 'vitest';
import { agentOf, imported, toolsByAgent, warningsOf } from './imported.fixture.ts';

function agentWith(fields: string): Record<string, string> {
  return { 'planner.agent.md': `---\nname: Planner\ndescription: Plans.\n${fields}\n---\nPlan.` };
}

describe('agents of GitHub Copilot', () => {
  test('get the tools that their file names, with one name for all aliases', () => {
    const tools =
      "tools: ['read', 'Edit', 'edit/editFiles', 'Bash', 'shell', 'grep', 'search/codebase', 'todo', 'web/fetch']";
    const result = imported(null, agentWith(tools));
    expect(toolsByAgent(result)).toEqual({
      Planner: [
        ...[
          'read safe',
          'edit standard',
          'editFiles standard',
          'execute critical',
          'search safe',
          'codebase safe',
        ],
        ...['todo safe', 'fetch standard'],
      ],
    });
    expect(agentOf(result, 'Planner').backstory).toBe('Plan.');
    expect(warningsOf(result)).toEqual([]);
  });

  test('get no tool from a file without tools, for *, and from an empty list, and only the empty list gives no warning', () => {
    expect(warningsOf(imported('copilot', agentWith('tools: ["*"]')))).toEqual(['TOOLS_NOT_NAMED 4 tools.0']);
    const absent = imported('copilot', agentWith('target: vscode'));
    expect(warningsOf(absent)).toEqual(['TOOLS_NOT_NAMED 2 tools', 'FIELD_NOT_TAKEN 4 target']);
    const empty = imported('copilot', agentWith('tools: []'));
    expect(toolsByAgent(empty)).toEqual({ Planner: [] });
    expect(warningsOf(empty)).toEqual([]);
    expect(toolsByAgent(imported('copilot', agentWith('tools: ["*"]'), { tools: 'all' })).Planner).toContain(
      'execute critical',
    );
  });

  test('get the tools of a server by name, and all tools that the file itself lists for the server', () => {
    const fields = `tools: ['papers/*', 'tickets/get_ticket', 'wiki/*', 'papers']
mcp-servers:
  papers:
    type: http
    url: https://papers.example.com/mcp
    headers: { KEY: "\${{ secrets.PAPERS_KEY }}" }
    tools: ['find_papers']
  wiki:
    type: local
    command: wiki
    tools: ['*']`;
    const result = imported('copilot', agentWith(fields));
    expect(toolsByAgent(result)).toEqual({ Planner: ['find_papers unrated', 'get_ticket unrated'] });
    expect(warningsOf(result)).toEqual(['TOOLS_NOT_NAMED 4 tools.2']);
    expect(result.servers.papers).toEqual({
      url: 'https://papers.example.com/mcp',
      headers: { KEY: `$${'{env:PAPERS_KEY}'}` },
    });
  });

  test('keep unknown tools without a risk level, and leave out entries that are not names', () => {
    const result = imported(
      'copilot',
      agentWith(
        "tools: ['frobnicate', 'Microsoft Docs', 'agent', 'vscode/runCommand']\nhandoffs: [{ label: x }]\nhat: 1",
      ),
    );
    expect(toolsByAgent(result)).toEqual({ Planner: ['frobnicate unrated', 'runCommand critical'] });
    expect(warningsOf(result)).toEqual([
      'TOOL_UNKNOWN 4 tools.0',
      'TOOL_NAME_INVALID 4 tools.1',
      'DELEGATION_NOT_TAKEN 4 tools.2',
      'FIELD_NOT_TAKEN 5 handoffs',
      'FIELD_UNKNOWN 6 hat',
    ]);
  });

  test('have no model if the file has only the display name of a model', () => {
    const result = imported('copilot', agentWith('tools: []\nmodel: Claude Sonnet 4'));
    expect(agentOf(result, 'Planner').model).toBeUndefined();
    expect(warningsOf(result)).toEqual(['FIELD_NOT_TAKEN 5 model']);
  });

  test('have the first model of a list', () => {
    const result = imported('copilot', agentWith('tools: []\nmodel: [GPT-5, Claude]'));
    expect(agentOf(result, 'Planner').model).toBe('GPT-5');
    expect(warningsOf(result)).toEqual(['FIELD_NOT_TAKEN 5 model']);
  });
});
