import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProcess } from '../start-process.ts';
import { waitUntil } from '../wait-until.ts';
import { nothingListens } from './nothing-listens.ts';
import { describeWithOwnServers } from './with-servers.ts';

const START_AND_WAIT = join(import.meta.dirname, 'system/start-redis-and-wait.ts');

describeWithOwnServers(['redis'], 'a server', () => {
  it('ends with the process that started the server, even if both are stopped, and leaves no process and no files', async () => {
    const parent = startProcess(START_AND_WAIT, [], process.env);
    const { port, folder } = await parent.says('stdout', (line): { port: number; folder: string } =>
      JSON.parse(line),
    );
    // The server is paused, so it cannot notice by itself that its parent process is gone.
    await parent.kill('SIGKILL');
    await waitUntil('the port to be free', () => nothingListens(port));
    await waitUntil('its folder to be gone', () => !existsSync(folder));
    expect(await nothingListens(port)).toBe(true);
  });

  it('lets the process end that started the server', async () => {
    const parent = startProcess(START_AND_WAIT, ['and-end'], process.env);
    const { port } = await parent.says('stdout', (line): { port: number } => JSON.parse(line));
    expect(await parent.exited).toBe(0);
    await waitUntil('the port to be free', () => nothingListens(port));
  });
});
