/** The files of the research: notes to search, a board to post on, and the settings of its runners. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '@mandate/runtime';
import { executableOf } from '../tool-servers.ts';

export type Notes = { folder: string; board: string };

/** The first line of the board. Posts go below it. */
export const BOARD_HEAD = 'The board';

export function writeNotes(folder: string): Notes {
  const notes = { folder: join(folder, 'notes'), board: join(folder, 'notes', 'board.txt') };
  mkdirSync(notes.folder);
  writeFileSync(join(notes.folder, 'coffee.txt'), 'Coffee came to Europe in the 17th century.\n');
  writeFileSync(join(notes.folder, 'tea.txt'), 'Tea was drunk in China before our era.\n');
  writeFileSync(notes.board, `${BOARD_HEAD}\n`);
  return notes;
}

/** Returns how many posts the board has. A tool that was called twice would have posted twice. */
export function countPosts({ board }: Notes): number {
  return readTextFile(board)
    .split('\n')
    .filter((line) => line.startsWith('- ')).length;
}

/** Writes runner.yaml. Only this file says which program is the server of a tool, and where the models are. */
export function writeRunnerFile(folder: string, notes: Notes, modelsUrl: string): string {
  const path = join(folder, 'runner.yaml');
  const server = executableOf('@modelcontextprotocol/server-filesystem');
  const document = {
    version: 1,
    servers: { notes: { command: process.execPath, args: [server, notes.folder], protocol: 'legacy' } },
    providers: { openai: { protocol: 'openai', apiKey: 'not needed here', baseUrl: modelsUrl } },
  };
  writeFileSync(path, JSON.stringify(document));
  return path;
}
