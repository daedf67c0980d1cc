/** Downloads one part of an export into a file. A failed download leaves no file. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiClient, Query } from '@mandate/client';
import type { ExportPart } from '@mandate/documents/export-manifest';
import { CommandFailure } from '../exit-codes.ts';

type Asked = {
  folder: string;
  file: string;
  query: Query;
  after: string | null;
  through?: string;
  signal: AbortSignal;
};

const RUN_AGAIN = 'Run the same command again: it continues with this part.';

/**
 * @returns null if no rows follow `after`, except that the first part may be empty
 * @throws CommandFailure if the bytes that arrived differ from the bytes that the plane sent
 */
export async function downloadPart(
  api: ApiClient,
  { folder, file, query, after, through, signal }: Asked,
): Promise<{ part: ExportPart; more: boolean } | null> {
  const path = join(folder, file);
  const { bytes: body, trailers } = await api.download('/v1/audit/export', {
    ...query,
    ...(after === null ? {} : { after }),
    through,
  });
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  try {
    await pipeline(body, measure, createWriteStream(`${path}.part`), { signal });
    const told = trailers();
    const sha256 = hash.digest('hex');
    if (told['mandate-sha256'] !== sha256) {
      throw new CommandFailure(
        1,
        `${file} did not arrive as it was sent`,
        `${RUN_AGAIN} A proxy may drop trailers: send the request to the plane directly.`,
      );
    }
    const rows = Number(told['mandate-rows']);
    const lastId = decodeURIComponent(told['mandate-last-id'] ?? '');
    if (rows === 0 && after !== null && through === undefined) return null;
    await rename(`${path}.part`, path);
    return { part: { file, after, lastId, rows, bytes, sha256 }, more: told['mandate-more'] === 'true' };
  } catch (error) {
    if (error instanceof CommandFailure || signal.aborted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(1, `${file} broke off: ${why}`, RUN_AGAIN);
  } finally {
    await rm(`${path}.part`, { force: true });
  }
}
