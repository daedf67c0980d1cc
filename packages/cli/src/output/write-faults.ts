import type { Output } from '../command-context.ts';
import { writeJsonLine } from './write.ts';

/**
 * Writes the faults of bad documents, one on each line, so that a program does not have to parse the message of the
 * failure. Any other error has no faults. The package of the error is not imported, because most commands need no
 * documents.
 */
export async function writeFaults(stdout: Output, error: unknown): Promise<void> {
  const isOfDocuments = error instanceof Error && 'code' in error && error.code === 'DOCUMENTS_INVALID';
  if (!isOfDocuments || !('faults' in error) || !Array.isArray(error.faults)) return;
  for (const fault of error.faults) await writeJsonLine(stdout, fault);
}
