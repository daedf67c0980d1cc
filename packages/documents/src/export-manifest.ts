/** The manifest of an export: everything that is needed to check, continue or repeat the export. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MandateError, textOfFile } from '@mandate/runtime';
import { z } from 'zod';

const part = z.object({
  file: z.string().regex(/^[\w.-]+$/),
  /** The part contains rows with ids after this id. Null for the first part. */
  after: z.string().nullable(),
  /** The last id in the part. */
  lastId: z.string(),
  rows: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ExportPart = z.output<typeof part>;

const manifest = z.object({
  version: z.literal(1),
  of: z.string(),
  format: z.string(),
  /** The query that was sent to the plane, with absolute times. */
  query: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  /** The time of the export. Rows that were recorded later may be missing. */
  asOf: z.string(),
  rowsAPart: z.int().min(1),
  parts: z.array(part),
  /** Null until all parts are downloaded. */
  total: z.object({ parts: z.int(), rows: z.int(), bytes: z.int() }).nullable(),
});
export type ExportManifest = z.output<typeof manifest>;

const NAME = 'manifest.json';

/**
 * Returns null if the folder has no manifest.
 *
 * @throws MandateError FILE_UNREADABLE if the file is no manifest
 */
export async function readExportManifest(folder: string): Promise<ExportManifest | null> {
  const path = join(folder, NAME);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return null;
  try {
    return manifest.parse(JSON.parse(textOfFile(bytes)));
  } catch {
    throw new MandateError('FILE_UNREADABLE', `${path} is no manifest of an export`, {
      remedy: 'Name another folder.',
    });
  }
}

export async function writeExportManifest(folder: string, written: ExportManifest): Promise<void> {
  const path = join(folder, NAME);
  await writeFile(`${path}.part`, `${JSON.stringify(written, null, 2)}\n`);
  await rename(`${path}.part`, path);
}

type PartState = 'good' | 'missing' | 'changed';

/** Compares the file of a part with the size and the hash in the manifest. */
export async function stateOfPart(folder: string, { file, bytes, sha256 }: ExportPart): Promise<PartState> {
  const path = join(folder, file);
  const found = await stat(path).catch(() => null);
  if (found === null) return 'missing';
  if (found.size !== bytes) return 'changed';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex') === sha256 ? 'good' : 'changed';
}
