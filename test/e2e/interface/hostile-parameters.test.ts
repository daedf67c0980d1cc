/**
 * Sends hostile text in every parameter, header and body of a plane. Each request must get one answer that the
 * OpenAPI document describes. The text must break no header, and no exception may stay uncaught.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byLength, faultsOfAnswers, IS_LONG, type PlaneProcess, startPlane } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  describedBy,
  type HostileAnswer,
  type HostileRequest,
  hostileRequests,
  send,
} from '../../faults/attacks/hostile-parameters.ts';

/**
 * In a short run, every sixteenth request is sent. Each parameter gets three texts and each header seven, and sixteen
 * has no common factor with three or seven. So every text is still sent.
 */
const EVERY = byLength({ short: 16, full: 1 });
/** The number of requests at the same time. A tenant may have only 4 exports and 4 queries of the audit at once. */
const AT_ONCE = 4;

let folder: string;
let plane: PlaneProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mandate-hostile-'));
  plane = await startPlane({ data: folder });
});
afterAll(async () => {
  await plane?.kill();
  rmSync(folder, { recursive: true });
});

/** The codes of refusals that come before any operation. The document describes them for no operation. */
const BEFORE_ROUTES: ReadonlySet<string> = new Set([
  ...['INVALID_URL', 'INVALID_REQUEST', 'HEADERS_TOO_LARGE', 'NOT_FOUND', 'METHOD_NOT_ALLOWED'],
  ...['UNAUTHENTICATED', 'UNSUPPORTED_ENCODING', 'UNSUPPORTED_MEDIA_TYPE'],
]);
/** The codes that are no fault here, because many requests run at the same time. */
const MAY_FAIL: ReadonlySet<string> = new Set(['OVERLOADED', 'AUDIT_UNAVAILABLE']);

const isJson = (contentType: string) => contentType.includes('json');

function codeIn(body: string): string {
  try {
    return JSON.parse(body).code ?? '';
  } catch {
    return '';
  }
}

test('each hostile text gets an answer as described, breaks no header, and throws no uncaught exception', {
  timeout: IS_LONG ? 3_600_000 : 600_000,
}, async () => {
  const document = await describedBy(plane.url);
  const faultsOf = (await faultsOfAnswers())(document);
  const requests = hostileRequests(document, { all: IS_LONG, every: EVERY });
  const faults: string[] = [];
  let asked = 0;

  /** Returns the faults of the answer, one on each line. */
  function faultsIn({ operation }: HostileRequest, answer: HostileAnswer): string[] {
    const { status, contentType, rawHeaders } = answer;
    const body = Buffer.from(answer.body, 'latin1').toString();
    const path = BEFORE_ROUTES.has(codeIn(body)) ? null : operation.path;
    const faults = faultsOf({
      ...operation,
      path,
      status,
      contentType,
      body: isJson(contentType) ? body : null,
    });
    if (status >= 500 && !MAY_FAIL.has(codeIn(body))) faults.push(`answered with a fault: ${body}`);
    for (const text of rawHeaders) if (!/^[\x20-\x7e]*$/.test(text)) faults.push(`sent the header ${text}`);
    const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    if (names.includes('x-injected')) faults.push('sent a header of the caller');
    if (new Set(names).size < names.length) faults.push(`sent a header twice: ${names}`);
    return faults;
  }

  async function askAll(): Promise<void> {
    for (const hostile of requests) {
      asked += 1;
      const name = `${hostile.operation.method} ${hostile.operation.path}, ${hostile.what}`;
      const answer = await send(plane.url, plane.keys.operator ?? null, hostile).catch((cause: unknown) => {
        throw new Error(`${name} has no answer`, { cause });
      });
      faults.push(...faultsIn(hostile, answer).map((fault) => `${name}: ${fault}`));
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, askAll));
  expect(faults).toEqual([]);
  expect(asked).toBeGreaterThan(2_000 / EVERY);
  const metrics = await (await fetch(`${plane.url}/metrics`)).text();
  expect(/^mandate_http_faults_total\S* (\d+)$/m.exec(metrics)?.[1]).toBe('0');
  expect(plane.process.exitCode).toBeNull();
});
