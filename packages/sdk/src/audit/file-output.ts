/** Appends each record of the audit as a line of JSON to a file. */
import type { FileHandle } from 'node:fs/promises';
import type { AuditOutput } from './audit-output.ts';

/**
 * Several processes may append to one file. If a write fails in the middle, the next write begins a new line, so a
 * reader must skip a line that is not JSON.
 *
 * @param path the file; it is created if it is missing, readable only by its owner
 */
export function fileOutput(path: string): AuditOutput {
  let opened: Promise<FileHandle> | null = null;
  let isTorn = false;
  const open = async () => {
    // The module is imported only here, so that the entry of the SDK also loads in environments without files.
    const { open } = await import('node:fs/promises');
    return open(path, 'a', 0o600);
  };
  return {
    name: `file-${path}`,
    async write(_records, lines) {
      opened ??= open();
      try {
        const file = await opened;
        await file.appendFile(`${isTorn ? '\n' : ''}${lines.join('\n')}\n`);
        isTorn = false;
      } catch (error) {
        isTorn = true;
        await opened.then((file) => file.close()).catch(() => {});
        opened = null;
        throw error;
      }
    },
    async close() {
      await (await opened)?.close();
      opened = null;
    },
  };
}
