/**
 * GET /v1/audit/export: decisions, settlements or control events as a file. The file is read from the audit in parts
 * while the caller receives it, so no process holds the whole file. HTTP trailers after the file say what was sent,
 * and where the next export must begin.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CONTROL_EVENTS, EXPORT_FORMATS, EXPORTS, type Exportable, type ExportFormat } from '@mandate/audit';
import { ofThisRequest, turns } from '@mandate/runtime';
import { described, GOVERNANCE_EVENTS, id } from '@mandate/schemas';
import { boundStreams, callerOf, HttpProblem, headerText, laneOf } from '@mandate/server';
import { z } from 'zod';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { rowCount } from '../export/count-rows.ts';
import { askerOf, type Route } from '../query-context.ts';
import { anyOf, queryParameters, wholeNumberWithin } from '../query-parameters.ts';

const MOST_EXPORTS = { inAll: 20, ofATenant: 4, ofAKey: 2, keptForPeople: 0 };

/** The maximum number of rows that one question to ClickHouse returns. A Parquet file needs a single question. */
const PART_ROWS = 5_000;
const PARQUET_ROWS = { most: 250_000, byDefault: 100_000 };

const TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
};

export const exportAudit: Route = (server, { ask, file, clock }) => {
  const exports = boundStreams(server, MOST_EXPORTS, {
    what: 'exports',
    remedy: 'Wait until an export ends.',
  });
  server.get(
    '/v1/audit/export',
    {
      exposeHeadRoute: false,
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Download decisions, settlements or control events as a file',
        description:
          'Rows are sorted by id. For decisions and settlements this is the order of time, the oldest first. Control ' +
          'events are grouped by kind (`adj_`, `apr_`, `chg_`, `kil_`, `rev_`), and ids made from an Idempotency-Key ' +
          'have no order of time. So sort control events by `happenedAt`. Amounts are micro-dollars, as integers. In CSV ' +
          '(RFC 4180) an empty field means null, and a list is JSON. A text that a spreadsheet could take for a formula ' +
          `begins with an apostrophe. A Parquet file has at most ${PARQUET_ROWS.most} rows. HTTP trailers follow the ` +
          'bytes. `mandate-rows` is the number of rows. `mandate-sha256` is the hash of the bytes before compression. ' +
          '`mandate-last-id` is the last id, percent-encoded; it is empty if there is none. To continue, send it as ' +
          '`after`. `mandate-more` says whether there are more rows. If the answer breaks off, the file is incomplete: ' +
          'continue after the last id that you have.',
        produces: Object.values(TYPES),
        querystring: queryParameters({
          of: described(
            z.enum(['decisions', 'settlements', 'control-events']).default('decisions'),
            'What to export.',
            'decisions',
          ),
          format: described(z.enum(EXPORT_FORMATS).default('ndjson'), 'The format of the file.', 'csv'),
          rows: described(
            wholeNumberWithin(1, Number.MAX_SAFE_INTEGER).optional(),
            `How many rows the file has at most. Default: all rows, or ${PARQUET_ROWS.byDefault} of Parquet.`,
            1_000,
          ),
          after: described(
            id.optional(),
            'Only rows after this id. Give the last id of an export to continue it.',
            'dec_01ke6qx4f8c6ede247811a2d78f78a',
          ),
          through: described(
            id.optional(),
            'Only rows up to this id, which is included.',
            'dec_01ke6qxba079817457defc4972b9f9',
          ),
          ...decisionFilterParameters(clock),
          event: described(
            anyOf(z.enum([...GOVERNANCE_EVENTS, ...CONTROL_EVENTS])),
            'Only control events of this kind, or decisions that a policy marks with this event. May be repeated: any of them.',
            'agent.killed',
          ),
        }),
      },
    },
    async (request, reply) => {
      const { of, format, rows, after, through, event, ...filter } = request.query;
      const asker = askerOf(request);
      const asked = { ...narrowedBy(of, callerOf(request).tenant, { ...filter, event }), through };
      const isParquet = format === 'parquet';
      const most = rows ?? (isParquet ? PARQUET_ROWS.byDefault : Number.POSITIVE_INFINITY);
      if (isParquet && most > PARQUET_ROWS.most) {
        throw refused(
          `a Parquet file holds at most ${PARQUET_ROWS.most} rows`,
          'Ask for several files, one after the other.',
        );
      }
      const partRows = isParquet ? PARQUET_ROWS.most : PART_ROWS;
      const nextPart = async (behind: string | undefined, left: number) => {
        const limit = Math.min(partRows, left);
        const [part] = await ask(asker, EXPORTS[of].part, { ...asked, after: behind, rows: limit });
        const lastId = part?.lastId ?? undefined;
        return { lastId, found: part?.rows ?? 0, isLast: (part?.rows ?? 0) < limit };
      };
      const bytesOf = (behind: string | undefined, lastId: string | undefined, named: boolean) =>
        // A file without rows is valid too. It asks for an empty range of ids, so that it cannot contain a row that
        // arrives after the check.
        file(asker, of, { ...asked, after: behind, through: lastId ?? behind ?? '0' }, { format, named });

      const { ending, cut, leave } = exports.enter(callerOf(request));
      try {
        // The first part is read before the answer begins. If the audit is away, the answer can then be a 503.
        const first = await nextPart(after, most);
        const firstBytes = await bytesOf(after, first.lastId, true);
        const told = {
          hash: createHash('sha256'),
          count: rowCount(format),
          lastId: first.lastId ?? after,
          more: !first.isLast,
        };
        async function* whole() {
          let part = first;
          let bytes = firstBytes;
          for (let left = most; ; ) {
            for await (const chunk of bytes) {
              // Every chunk is hashed and counted, which takes time. Chunks may arrive without a pause, so other work
              // gets a turn between them.
              if (turns.isOver()) await turns.next(laneOf(request));
              told.hash.update(chunk);
              told.count.pass(chunk);
              yield chunk;
            }
            told.lastId = part.lastId ?? told.lastId;
            told.more = !part.isLast;
            left -= part.found;
            if (part.isLast || left <= 0 || isParquet) return;
            // The server stops, so this answer ends early. The client gets the rest from another process.
            if (ending.aborted) throw new Error('the server stops');
            if (!(await request.keyStillHolds())) throw new Error('the key was revoked');
            part = await nextPart(told.lastId, left);
            if (part.lastId === undefined) {
              told.more = false;
              return;
            }
            bytes = await bytesOf(told.lastId, part.lastId, false);
          }
        }
        const stream = Readable.from(whole(), { objectMode: false }).once('close', leave);
        const end = ofThisRequest(() => void stream.destroy());
        asker.gone.addEventListener('abort', end);
        cut.addEventListener('abort', end);
        // The place may have been given to another caller while the audit was asked.
        if (cut.aborted) end();
        reply.trailer('mandate-rows', async () => String(told.count.rows()));
        reply.trailer('mandate-sha256', async () => told.hash.digest('hex'));
        reply.trailer('mandate-last-id', async () => headerText(told.lastId ?? ''));
        reply.trailer('mandate-more', async () => String(told.more));
        return reply
          .type(TYPES[format])
          .headers({
            'cache-control': 'no-store',
            'content-disposition': `attachment; filename="${of}.${format}"`,
          })
          .send(stream);
      } catch (error) {
        leave();
        throw error;
      }
    },
  );
};

type Filter = Omit<z.output<z.ZodObject<ReturnType<typeof decisionFilterParameters>>>, 'event'> & {
  event?: string[] | undefined;
};

/** Throws if the table does not know one of the filters. Otherwise the filter would be ignored silently. */
function narrowedBy(of: Exportable, tenant: string, { event, ...filter }: Filter) {
  const { agentId, actionId, fromMs, toMs, ...others } = decisionFilterOf(tenant, filter);
  if (of === 'decisions') {
    mustBeEvents(of, event, GOVERNANCE_EVENTS);
    return { ...others, agentId, actionId, event, fromMs, toMs };
  }
  const { tenant: _, ...rest } = others;
  if (of === 'settlements') {
    mustBeAbsent(of, { ...rest, event });
    return { tenant, agentId, actionId, fromMs, toMs };
  }
  mustBeAbsent(of, { ...rest, actionId });
  mustBeEvents(of, event, CONTROL_EVENTS);
  return { tenant, agentId, event, fromMs, toMs };
}

function mustBeAbsent(of: Exportable, given: Readonly<Record<string, unknown>>): void {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length > 0) throw refused(`${of} cannot be narrowed by ${names.join(', ')}`, 'Leave that out.');
}

/** Throws if the rows of the table cannot have one of the events. */
function mustBeEvents(of: Exportable, given: readonly string[] = [], known: readonly string[]): void {
  const unknown = given.find((event) => !known.includes(event));
  if (unknown !== undefined)
    throw refused(`${of} have no event ${unknown}`, `Give one of these: ${known.join(', ')}.`);
}

function refused(message: string, remedy: string): HttpProblem {
  return new HttpProblem(400, 'VALIDATION_FAILED', message, { remedy });
}
