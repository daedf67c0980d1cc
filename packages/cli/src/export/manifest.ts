/** What an export is made of: enough to check it, to go on with it, and to make the same again. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOfFile } from '@mandate/runtime';
import { z } from 'zod';
import { WrongUse } from '../exit-codes.ts';

const part = z.object({
  file: z.string().regex(/^[\w.-]+$/),
  /** The part is what lies behind this id … */
  after: z.string().nullable(),
  /** … up to and with this one. */
  lastId: z.string(),
  rows: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Part = z.output<typeof part>;

const manifest = z.object({
  version: z.literal(1),
  of: z.string(),
  format: z.string(),
  /** As the plane was asked, with the times that it named then. */
  query: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  /** What came on record later may be missing. */
  asOf: z.string(),
  rowsAPart: z.int().min(1),
  parts: z.array(part),
  /** null until every part is there. */
  total: z.object({ parts: z.int(), rows: z.int(), bytes: z.int() }).nullable(),
});
export type Manifest = z.output<typeof manifest>;

const NAME = 'manifest.json';

/** null where there is none. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, NAME);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (bytes === null) return null;
  try {
    return manifest.parse(JSON.parse(textOfFile(bytes)));
  } catch {
    throw new WrongUse(`${path} is no manifest of an export`, 'Name another folder with --out.');
  }
}

export async function writeManifest(folder: string, written: Manifest): Promise<void> {
  const path = join(folder, NAME);
  await writeFile(`${path}.part`, `${JSON.stringify(written, null, 2)}\n`);
  await rename(`${path}.part`, path);
}

export type PartState = 'good' | 'missing' | 'changed';

/** Whether a part is there as the manifest says. */
export async function stateOf(folder: string, { file, bytes, sha256 }: Part): Promise<PartState> {
  const path = join(folder, file);
  const found = await stat(path).catch(() => null);
  if (found === null) return 'missing';
  if (found.size !== bytes) return 'changed';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex') === sha256 ? 'good' : 'changed';
}
