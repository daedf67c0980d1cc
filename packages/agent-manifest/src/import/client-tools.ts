/**
 * The built-in tools of clients, by their published names, each with a risk level: `safe` only reads, `standard`
 * changes files or reads the web, `critical` runs commands or changes what the client may do.
 */
import type { RiskLevel } from '@mandate/schemas/agent-manifest';

export type ClientTools = Readonly<Record<RiskLevel, readonly string[]>>;

export const CLAUDE_CODE_TOOLS: ClientTools = {
  safe: [
    ...['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'LSP', 'TodoRead', 'TodoWrite', 'TaskGet', 'TaskList'],
    ...[
      'TaskCreate',
      'TaskUpdate',
      'BashOutput',
      'TaskOutput',
      'AskUserQuestion',
      'ExitPlanMode',
      'EnterPlanMode',
    ],
    ...['ToolSearch', 'ListMcpResourcesTool', 'ReadMcpResourceTool'],
  ],
  standard: ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'WebFetch', 'WebSearch', 'Skill'],
  critical: [
    ...[
      'Bash',
      'PowerShell',
      'KillShell',
      'KillBash',
      'TaskStop',
      'Monitor',
      'SlashCommand',
      'EnterWorktree',
    ],
    ...['ExitWorktree', 'CronCreate', 'CronDelete', 'SendMessage'],
  ],
};

/** The tools of GitHub Copilot and of its editors, without the name of their set: `editFiles` for `edit/editFiles`. */
export const COPILOT_TOOLS: ClientTools = {
  safe: [
    ...['read', 'search', 'todo', 'todos', 'codebase', 'usages', 'problems', 'changes', 'searchResults'],
    ...[
      'findTestFiles',
      'testFailure',
      'terminalLastCommand',
      'terminalSelection',
      'terminalCommand',
      'vscodeAPI',
    ],
    ...[
      'readFile',
      'viewImage',
      'readNotebookCellOutput',
      'getNotebookSummary',
      'getTaskOutput',
      'fileSearch',
    ],
    ...[
      'textSearch',
      'listDirectory',
      'getTerminalOutput',
      'awaitTerminal',
      'getProjectSetupInfo',
      'askQuestions',
    ],
  ],
  standard: [
    ...[
      'edit',
      'web',
      'fetch',
      'githubRepo',
      'openSimpleBrowser',
      'extensions',
      'editFiles',
      'createFile',
      'memory',
    ],
    ...['createDirectory', 'editNotebook', 'createJupyterNotebook', 'renderMermaidDiagram'],
  ],
  critical: [
    ...[
      'execute',
      'vscode',
      'runCommands',
      'runInTerminal',
      'runTasks',
      'runTask',
      'createAndRunTask',
      'runTests',
    ],
    ...[
      'runNotebooks',
      'runNotebookCell',
      'new',
      'newWorkspace',
      'installExtension',
      'runCommand',
      'killTerminal',
    ],
  ],
};

/** The tools of each set of docker cagent, by the type of the set. */
export const CAGENT_TOOLSETS: Readonly<Record<string, ClientTools>> = {
  filesystem: {
    safe: ['read_file', 'read_multiple_files', 'directory_tree', 'list_directory', 'search_files_content'],
    standard: ['edit_file', 'write_file', 'create_directory'],
    critical: ['remove_directory'],
  },
  shell: {
    safe: ['list_background_jobs', 'view_background_job'],
    standard: [],
    critical: ['shell', 'run_background_job', 'stop_background_job'],
  },
  think: { safe: ['think'], standard: [], critical: [] },
  todo: { safe: ['create_todo', 'create_todos', 'update_todos', 'list_todos'], standard: [], critical: [] },
  memory: {
    safe: ['get_memories', 'search_memories'],
    standard: ['add_memory', 'update_memory', 'delete_memory'],
    critical: [],
  },
  tasks: {
    safe: ['get_task', 'list_tasks', 'next_task'],
    standard: ['create_task', 'update_task', 'add_dependency', 'remove_dependency', 'delete_task'],
    critical: [],
  },
  fetch: { safe: [], standard: ['fetch'], critical: [] },
  user_prompt: { safe: ['user_prompt'], standard: [], critical: [] },
  model_picker: { safe: [], standard: [], critical: ['change_model', 'revert_model'] },
  lsp: {
    safe: [
      ...[
        'lsp_workspace',
        'lsp_hover',
        'lsp_definition',
        'lsp_references',
        'lsp_document_symbols',
        'lsp_diagnostics',
      ],
      ...['lsp_workspace_symbols', 'lsp_code_actions', 'lsp_call_hierarchy', 'lsp_type_hierarchy'],
      ...['lsp_implementations', 'lsp_signature_help', 'lsp_inlay_hints'],
    ],
    standard: ['lsp_rename', 'lsp_format'],
    critical: [],
  },
};

const LEVELS: readonly RiskLevel[] = ['safe', 'standard', 'critical'];

/** Returns the risk level of a client's tool. Null if no tool of the client with this name is known. */
export function riskOf(tools: ClientTools, name: string): RiskLevel | null {
  return LEVELS.find((level) => tools[level].includes(name)) ?? null;
}

export function namesOf(tools: ClientTools): readonly string[] {
  return LEVELS.flatMap((level) => tools[level]);
}
