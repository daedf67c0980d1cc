/** The servers that the makers of MCP publish on npm, with a call of each of their tools, resources and prompts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../wire/stdio-process.ts';

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

export type DrivenServer = {
  name: string;
  command: Command;
  /** The environment that the server needs beside the usual one. */
  env: Readonly<Record<string, string>>;
  /** At least one call of each tool. */
  calls: readonly Call[];
  /** Calls that only a client with tasks can make. */
  taskCalls: readonly Call[];
  resources: readonly string[];
  prompts: readonly { name: string; arguments?: Record<string, string> }[];
  /** The folder that the client names as its root. */
  root: string;
  /** Replaces what differs between any two runs. */
  normalise(text: string): string;
};

function commandOf(module: string, ...args: readonly string[]): Command {
  return [process.execPath, fileURLToPath(module), ...args];
}

/** For each server a function of an empty folder that the server may change. */
export const OFFICIAL_SERVERS: Readonly<Record<string, (folder: string) => DrivenServer>> = {
  'server-everything': everything,
  'server-filesystem': filesystem,
  'server-memory': memory,
  'server-sequential-thinking': sequentialThinking,
};

const NONE = {
  env: {},
  taskCalls: [],
  resources: [],
  prompts: [],
  root: '/work',
  normalise: (text: string) => text,
} as const;

export function everything(): DrivenServer {
  return {
    ...NONE,
    name: 'server-everything',
    command: commandOf(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')),
    calls: [
      ['echo', { message: 'Grüße, 世界 👋' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-env', {}],
      ['get-resource-links', { count: 3 }],
      ['get-resource-reference', { resourceType: 'Blob', resourceId: 1 }],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-sum', { a: 'two' }],
      ['get-tiny-image', {}],
      [
        'gzip-file-as-resource',
        { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' },
      ],
      ['toggle-simulated-logging', {}],
      ['toggle-simulated-logging', {}],
      ['toggle-subscriber-updates', {}],
      ['toggle-subscriber-updates', {}],
      ['trigger-long-running-operation', { duration: 0.1, steps: 2 }],
      ['get-roots-list', {}],
      ['trigger-elicitation-request', {}],
      ['trigger-url-elicitation', { url: 'https://example.com/a', elicitationId: 'e1' }],
      ['trigger-url-elicitation', { url: 'https://example.com/b', elicitationId: 'e2', errorPath: true }],
      ['trigger-sampling-request', { prompt: 'Say hello.' }],
      ['no-such-tool', {}],
    ],
    taskCalls: [['simulate-research-query', { topic: 'proxies' }]],
    resources: [
      'demo://resource/static/document/features.md',
      'demo://resource/dynamic/text/1',
      'demo://resource/dynamic/blob/2',
      'demo://no-such-resource',
    ],
    prompts: [
      { name: 'simple-prompt' },
      { name: 'args-prompt', arguments: { city: 'Paris' } },
      { name: 'completable-prompt', arguments: { department: 'Engineering', name: 'Alice' } },
      { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } },
      { name: 'no-such-prompt' },
    ],
    normalise: (text) =>
      text
        .replaceAll(/\d{1,2}:\d\d:\d\d [AP]M/g, 'TIME')
        .replaceAll(ISO_TIME, 'TIME')
        .replaceAll(/session [\da-f-]{36}/g, 'session RANDOM')
        .replaceAll(/UmVzb3VyY2Ug[\w+/=]+/g, 'BLOB WITH A TIME')
        .replaceAll(/"(elicitationId|taskId)":"[\w-]{32,36}"/g, '"$1":"RANDOM"'),
  };
}

const ISO_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function filesystem(parent: string): DrivenServer {
  const folder = join(parent, 'files');
  mkdirSync(join(folder, 'inner'), { recursive: true });
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(folder, 'pixel.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
  const at = (name: string) => join(folder, name);
  return {
    ...NONE,
    name: 'server-filesystem',
    command: commandOf(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), folder),
    root: folder,
    calls: [
      ['list_allowed_directories', {}],
      ['read_file', { path: at('a.txt') }],
      ['read_text_file', { path: at('a.txt'), head: 2 }],
      ['read_media_file', { path: at('pixel.png') }],
      ['read_multiple_files', { paths: [at('a.txt'), at('missing.txt')] }],
      ['write_file', { path: at('b.txt'), content: 'übung\n'.repeat(20_000) }],
      ['read_text_file', { path: at('b.txt') }],
      ['edit_file', { path: at('a.txt'), edits: [{ oldText: 'two', newText: '2' }] }],
      ['create_directory', { path: at('new') }],
      ['list_directory', { path: folder }],
      ['list_directory_with_sizes', { path: folder }],
      ['directory_tree', { path: folder }],
      ['move_file', { source: at('b.txt'), destination: at('c.txt') }],
      ['search_files', { path: folder, pattern: '**/*.txt' }],
      ['get_file_info', { path: at('a.txt') }],
      ['read_file', { path: '/etc/hostname' }],
    ],
    normalise: (text) =>
      text
        .replaceAll(folder, 'FOLDER')
        .replaceAll(/(created|modified|accessed): [^\\]*/g, '$1: TIME')
        .replaceAll(ISO_TIME, 'TIME'),
  };
}

function memory(parent: string): DrivenServer {
  const relation = { from: 'Ann', to: 'Bo', relationType: 'knows' };
  return {
    ...NONE,
    name: 'server-memory',
    command: commandOf(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js')),
    env: { MEMORY_FILE_PATH: join(parent, 'memory.jsonl') },
    calls: [
      [
        'create_entities',
        {
          entities: [
            { name: 'Ann', entityType: 'person', observations: ['tall'] },
            { name: 'Bo', entityType: 'person', observations: [] },
          ],
        },
      ],
      ['create_relations', { relations: [relation] }],
      ['add_observations', { observations: [{ entityName: 'Bo', contents: ['small', 'old'] }] }],
      ['read_graph', {}],
      ['search_nodes', { query: 'tall' }],
      ['open_nodes', { names: ['Bo'] }],
      ['delete_observations', { deletions: [{ entityName: 'Bo', observations: ['old'] }] }],
      ['delete_relations', { relations: [relation] }],
      ['delete_entities', { entityNames: ['Ann'] }],
    ],
    resources: ['memory://knowledge-graph'],
    normalise: (text) => text.replaceAll(ISO_TIME, 'TIME'),
  };
}

function sequentialThinking(): DrivenServer {
  const thought = { thought: 'First, look.', thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
  return {
    ...NONE,
    name: 'server-sequential-thinking',
    command: commandOf(import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js')),
    calls: [
      ['sequentialthinking', thought],
      ['sequentialthinking', { ...thought, thoughtNumber: 2, nextThoughtNeeded: false }],
    ],
  };
}
