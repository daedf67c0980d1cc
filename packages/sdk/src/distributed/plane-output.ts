/** Sends the records of the audit to a plane (`POST /v1/audit`). The plane records them, and marks them with the key. */
import { MandateError } from '@mandate/runtime';
import type { AuditOutput } from '../audit/audit-output.ts';
import { RecordsRefused } from '../audit/records-refused.ts';

type Options = {
  /** The address of the plane. Example: `http://127.0.0.1:7420`. */
  url: string;
  /** A key with the scope `record`, for the agents of the records. */
  apiKey: string;
  /** The longest wait for an answer, in milliseconds. Absent: 10,000. */
  timeoutMs?: number;
};

type Problem = { code?: string; detail?: string; errors?: readonly { index?: number; detail?: string }[] };

/** The most records and characters of one request. */
const MOST = { records: 500, characters: 700_000 };

export function planeOutput({ url, apiKey, timeoutMs = 10_000 }: Options): AuditOutput {
  const address = new URL('/v1/audit', url);
  const send = async (lines: readonly string[]): Promise<Response> =>
    fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: `[${lines.join(',')}]`,
      signal: AbortSignal.timeout(timeoutMs),
    });

  /** Sends a part. If the plane refuses some records for good, sends the others. Returns how many it refused. */
  async function sendPart(part: readonly string[]): Promise<{ count: number; reason: string }> {
    let [left, count, reason] = [part, 0, ''];
    while (left.length > 0) {
      const answer = await send(left);
      if (answer.ok) {
        await answer.body?.cancel();
        break;
      }
      const problem = (await answer.json().catch(() => ({}))) as Problem;
      const bad = new Set(problem.errors?.flatMap(({ index }) => (index === undefined ? [] : [index])) ?? []);
      if (answer.status !== 400 || bad.size === 0) throw refused(answer.status, problem);
      reason = problem.errors?.[0]?.detail ?? problem.detail ?? '';
      count += bad.size;
      left = left.filter((_, index) => !bad.has(index));
    }
    return { count, reason };
  }

  return {
    name: 'plane',
    async write(_records, lines) {
      let [count, reason] = [0, ''];
      for (const part of partsOf(lines)) {
        const refusedHere = await sendPart(part);
        count += refusedHere.count;
        reason ||= refusedHere.reason;
      }
      if (count > 0) throw new RecordsRefused(count, reason);
    },
  };
}

/** Splits the lines into requests that a plane takes. */
function partsOf(lines: readonly string[]): string[][] {
  const parts: string[][] = [];
  let characters = 0;
  for (const line of lines) {
    const part = parts.at(-1);
    characters += line.length;
    if (part !== undefined && part.length < MOST.records && characters <= MOST.characters) part.push(line);
    else {
      parts.push([line]);
      characters = line.length;
    }
  }
  return parts;
}

function refused(status: number, { code = 'UNKNOWN', detail = '' }: Problem): MandateError {
  return new MandateError('AUDIT_OUTPUT_FAILED', `The plane answered ${status} ${code}: ${detail}`, {
    remedy: 'The records wait, and are sent again. Check the address, the key and its scope `record`.',
    retryable: true,
  });
}
