/** Splits the lines of a file of records into batches that the plane accepts. */
import { recordKind } from '@mandate/documents/bare-records';
import { CAPS, decodeText } from '@mandate/schemas';
import { WrongUse } from '../exit-codes.ts';
import type { Submission } from './publish-batch.ts';

const BATCH = 100;
const BATCH_CHARACTERS = 512 * 1024;

/** @param place the file and line for people, such as `actions.ndjson:12` */
export function readSubmission(line: Uint8Array, place: string): Submission {
  if (line.length > CAPS.recordBytes) {
    throw new WrongUse(`${place} is longer than the ${CAPS.recordBytes} bytes that a record may have`);
  }
  const decoded = decodeText(line);
  if (!decoded.ok) {
    throw new WrongUse(`${place}:${decoded.fault.column} is ${decoded.fault.message}`);
  }
  return { kind: kindOf(decoded.text, place), json: decoded.text, place };
}

function kindOf(json: string, place: string): Submission['kind'] {
  try {
    return recordKind(JSON.parse(json)).kind;
  } catch (error) {
    throw new WrongUse(`${place} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Yields batches in the order of the records. The records of a batch have one kind, and its size is limited. */
export async function* batchesOf(submissions: AsyncIterable<Submission>): AsyncGenerator<Submission[]> {
  let batch: Submission[] = [];
  let characters = 0;
  for await (const submission of submissions) {
    const size = submission.json.length;
    const full = batch.length === BATCH || characters + size > BATCH_CHARACTERS;
    if (batch.length > 0 && (full || batch[0]?.kind !== submission.kind)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(submission);
    characters += size;
  }
  if (batch.length > 0) yield batch;
}
