/** Sends the records of the audit to a plane (`POST /v1/audit`). The plane records them, and marks them with the key. */
import { MandateError } from '@mandate/runtime/errors';
import { fieldsOf, type PlaneAnswer, PlaneConnection, problemOf } from '../plane/plane-connection.ts';
import { planeSettings } from '../plane/plane-options.ts';
import type { AuditOutput, AuditRecord } from './audit-output.ts';
import { RecordsRefused } from './records-refused.ts';

type Options = {
  /** The address of the plane. Example: `http://127.0.0.1:7420`. */
  url: string;
  /** A key with the scope `record`, for the agents of the records. */
  apiKey: string;
  /** The longest wait for an answer, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
};

/** The maximum number of records and characters of one request. */
const MOST = { records: 500, characters: 700_000 };

/** @throws MandateError SDK_MISUSED */
export function planeOutput({ url, ...options }: Options): AuditOutput {
  const connection = new PlaneConnection(planeSettings({ planeUrl: url, ...options }));

  /**
   * Sends a part. If the plane permanently refuses some records, sends the other records. Returns the number of refused
   * records.
   */
  async function sendPart(part: readonly AuditRecord[]): Promise<{ count: number; reason: string }> {
    let [left, reason] = [part, ''];
    while (left.length > 0) {
      const request = { method: 'POST', path: '/v1/audit', body: left } as const;
      const answer = await connection.send(request, connection.timeoutMs);
      if (answer.status >= 200 && answer.status < 300) break;
      const errors = problemOf(answer.body)?.errors.map(fieldsOf) ?? [];
      const refused = new Set(errors.map(({ index }) => index));
      const others = left.filter((_, index) => !refused.has(index));
      if (answer.status !== 400 || others.length === left.length) throw failed(answer);
      reason = String(errors[0]?.detail ?? '');
      left = others;
    }
    return { count: part.length - left.length, reason };
  }

  return {
    name: 'plane',
    async write(records, lines) {
      let [count, reason] = [0, ''];
      for (const part of partsOf(records, lines)) {
        const refused = await sendPart(part);
        count += refused.count;
        reason ||= refused.reason;
      }
      if (count > 0) throw new RecordsRefused(count, reason);
    },
  };
}

/** Splits the records into requests that a plane accepts. */
function partsOf(records: readonly AuditRecord[], lines: readonly string[]): AuditRecord[][] {
  const parts: AuditRecord[][] = [];
  let characters = 0;
  for (const [at, record] of records.entries()) {
    const part = parts.at(-1);
    const { length } = lines[at] ?? '';
    characters += length;
    if (part !== undefined && part.length < MOST.records && characters <= MOST.characters) part.push(record);
    else {
      parts.push([record]);
      characters = length;
    }
  }
  return parts;
}

function failed({ status, body }: PlaneAnswer): MandateError {
  const { code = 'UNKNOWN', detail = '' } = problemOf(body) ?? {};
  return new MandateError('AUDIT_OUTPUT_FAILED', `The plane answered ${status} ${code}: ${detail}`, {
    remedy: 'The records wait, and are sent again. Check the address, the key and its scope `record`.',
    retryable: true,
  });
}
