/**
 * Tests faults that only a server has: it is unreachable, hangs, refuses, has an old version, or reports success too
 * early.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as passOn, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  describeWithOwnServers,
  describeWithServers,
  startClickHouse,
  temporaryFolder,
  waitUntil,
} from '@mandate/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { type AuditClient, ask, identity, type ServerAuditOptions } from './index.ts';
import { MIGRATIONS_DIRECTORY } from './migrate.ts';
import { readMigrations } from './migration-files.ts';
import { connect, onSharedServer } from './server.fixture.ts';

const counted = z.object({ n: z.int() });

async function opened(address: string, options: Partial<ServerAuditOptions> = {}): Promise<AuditClient> {
  const audit = await connect(address, options);
  onTestFinished(() => audit.close());
  return audit;
}

async function emptyDatabase() {
  const place = await onSharedServer();
  onTestFinished(() => place.dispose());
  return place;
}

/** Starts an HTTP server that answers with the given function. It imitates a ClickHouse server or another program. */
async function listening(answer: RequestListener, tls?: { key: Buffer; cert: Buffer }) {
  const made = tls === undefined ? createServer(answer) : createSecureServer(tls, answer);
  const server = made.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('a listening server has no port');
  return { server, address: `http${tls === undefined ? '' : 's'}://127.0.0.1:${place.port}` };
}

describe('opening the audit', () => {
  test('fails at once if no server listens at the address', async () => {
    const { server, address } = await listening(() => {});
    server.close();
    await once(server, 'close');
    await expect(connect(address)).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('fails and quotes the answer if another program answers at the address', async () => {
    const { address } = await listening((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<h1>Bad gateway</h1>${'x'.repeat(1e6)}`);
    });
    const error = await connect(address).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('Bad gateway'),
    });
    expect(String(error).length).toBeLessThan(3_000);
  });

  test('fails after the timeout if a server never answers', async () => {
    const { address } = await listening(() => {});
    await expect(connect(address, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(/no answer within 100 ms|timeout/i),
    });
  });

  test('fails after the timeout if the answer never ends', async () => {
    const { address } = await listening((_request, response) => {
      response.writeHead(200);
      const pouring = setInterval(() => response.write('{"version":"26.7"}\n'), 5);
      response.on('close', () => clearInterval(pouring));
    });
    await expect(connect(address, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('no answer within 200 ms'),
    });
  });

  test.each([
    ['25.8.3.66', 'AUDIT_SERVER_TOO_OLD'],
    ['26.2.9.1', 'AUDIT_SERVER_TOO_OLD'],
    ['26.3.1.1', 'is accepted'],
    ['27.1.1.1', 'is accepted'],
  ])('ClickHouse %s: %s', async (version, code) => {
    const { address } = await listening((_request, response) =>
      response.end(`${JSON.stringify({ version })}\n`),
    );
    const audit = connect(address);
    if (code === 'is accepted') await (await audit).close();
    else await expect(audit).rejects.toMatchObject({ code, retryable: false });
  });
});

describe('over https', () => {
  const answering: RequestListener = (request, response) => {
    request.resume().on('end', () => response.end('{"version":"26.7"}\n'));
  };

  test('trusts only a server with a certificate of the named authority', async () => {
    const own = selfSigned();
    const { address } = await listening(answering, own);
    await (await connect(address, { tls: { ca: own.cert } })).close();
    for (const tls of [{}, { tls: { ca: selfSigned().cert } }]) {
      await expect(connect(address, tls)).rejects.toMatchObject({
        code: 'AUDIT_UNAVAILABLE',
        message: expect.stringContaining('certificate'),
      });
    }
  });
});

/** Makes a self-signed certificate for 127.0.0.1. */
function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const of = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync('/usr/bin/env', ['openssl', ...request, ...of, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

describe('sockets', () => {
  test('carry compressed bodies by default', async () => {
    const seen: (string | undefined)[] = [];
    const { address } = await listening((request, response) => {
      seen.push(request.headers['content-encoding'], request.headers['accept-encoding']);
      request.resume().on('end', () => response.end('{"version":"26.7"}\n'));
    });
    for (const compress of [true, false]) {
      const audit = await opened(address, { compress });
      seen.length = 0;
      await audit.insert('t', [{ n: 1 }]);
      expect(seen).toEqual(compress ? ['gzip', 'gzip'] : [undefined, undefined]);
    }
  });

  test('are closed when idle, before the server would close them', async () => {
    const { server, address } = await listening((_request, response) => response.end('{"version":"26.7"}\n'));
    // Common servers close an idle connection after 3 s or more.
    server.keepAliveTimeout = 3_000;
    const ended = Promise.withResolvers<string>();
    server.on('connection', (socket) => {
      socket.once('end', () => ended.resolve('by the client'));
      socket.once('close', () => ended.resolve('by the server'));
    });
    await opened(address);
    expect(await ended.promise).toBe('by the client');
  });
});

describe('aborted questions', () => {
  test('free their socket for other questions, whether aborted before the call, in the queue or during the answer', async () => {
    let asked = 0;
    const { address } = await listening((request, response) => {
      request.resume();
      request.on('end', () => {
        asked += 1;
        // The first request reads the version when the audit is opened. The next ten requests, one for each socket,
        // get no answer.
        if (asked === 1 || asked > 11) response.end('{"version":"26.7"}\n');
      });
    });
    const audit = await opened(address);
    const givingUp = new AbortController();
    const question = (givenUp?: AbortSignal) =>
      audit.query('SELECT', {}, z.object({ version: z.string() }), givenUp);
    const given = Array.from({ length: 15 }, () => question(givingUp.signal));
    const ended = Promise.allSettled(given);
    await vi.waitFor(() => expect(asked).toBe(11));
    givingUp.abort();
    for (const { status } of await ended) expect(status).toBe('rejected');
    await expect(question(givingUp.signal)).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    expect(await question()).toEqual([{ version: '26.7' }]);
    expect(asked).toBe(12);
  });
});

describeWithServers(['clickhouse'], 'a server', () => {
  test('reports a missing database and a wrong password at once', async () => {
    const { address } = await emptyDatabase();
    await expect(connect(address, { database: 'nowhere' })).rejects.toMatchObject({
      code: 'AUDIT_DATABASE_MISSING',
      retryable: true,
      remedy: expect.stringContaining('mandate migrate'),
    });
    await expect(connect(address, { username: 'nobody' })).rejects.toMatchObject({
      code: 'AUDIT_ACCESS_DENIED',
    });
  });

  test('never blames a row if ClickHouse has too many parts or too little memory', async () => {
    const { open } = await emptyDatabase();
    const audit = await open();
    onTestFinished(() => audit.close());
    await audit.command(
      'CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS parts_to_throw_insert = 2, parts_to_delay_insert = 0',
    );
    await audit.command('SYSTEM STOP MERGES t');
    const filled = async () => {
      for (let n = 0; n < 5; n += 1) await audit.insert('t', [{ n }]);
    };
    await expect(filled()).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
      remedy: expect.stringContaining('Merges are slower than inserts'),
    });
    const greedy =
      'SELECT groupArray(number) FROM numbers(10000000) SETTINGS max_memory_usage = 1000000 FORMAT Null';
    await expect(audit.command(greedy)).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      remedy: expect.stringContaining('lacks memory'),
    });
  });

  test('writes no parameter of a failed question to the logs of Mandate', async () => {
    const { open } = await emptyDatabase();
    const audit = await open();
    onTestFinished(() => audit.close());
    const spies = (['debug', 'log', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => {}),
    );
    onTestFinished(() => void spies.forEach((spy) => void spy.mockRestore()));
    const asked = audit.query('SELECT {text:String} FROM missing', { text: 'secret' }, counted);
    await expect(asked).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  test('has the same tables after several processes migrate it at once', async () => {
    const names = readMigrations(MIGRATIONS_DIRECTORY).map(({ name }) => name);
    for (let round = 0; round < 3; round += 1) {
      const { address, database, open } = await emptyDatabase();
      const processes = await Promise.all([1, 2, 3].map(() => migrator(address, database)));
      const applied = await Promise.all(processes.map(({ go }) => go()));
      for (const list of applied) expect(names).toEqual(expect.arrayContaining(list));
      expect(new Set(applied.flat())).toEqual(new Set(names));
      const audit = await open();
      const rows = await audit.query('SELECT number AS n FROM migrations FINAL ORDER BY number', {}, counted);
      expect(rows.map(({ n }) => n)).toEqual(names.map((_, index) => index + 1));
      expect(await ask(audit, identity, {})).toHaveLength(1);
      await audit.close();
    }
  });
});

/** Starts a process that waits for a signal and then migrates. */
async function migrator(address: string, database: string) {
  const script = join(import.meta.dirname, 'system/migrate-on-cue.ts');
  const child = spawn(process.execPath, [script, address, database], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  return {
    async go(): Promise<string[]> {
      child.stdin.end('go\n');
      const { value } = await lines.next();
      return z.array(z.string()).parse(JSON.parse(value ?? 'null'));
    },
  };
}

/** Starts a proxy that passes on requests and answers, but removes all headers that it does not know. */
async function discreetProxy(to: string): Promise<string> {
  const { address } = await listening((request, response) => {
    const { url = '/', method, headers } = request;
    const passed = passOn(new URL(url, to), { method, headers }, (answer) => {
      const { 'content-type': type, 'content-encoding': encoding } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      });
      answer.on('error', () => response.destroy()).pipe(response);
    });
    request.pipe(passed.on('error', () => response.destroy()));
  });
  return address;
}

/** A settings profile that is unsafe for an audit. The owner of a server might set it as default for other uses. */
const HASTY = `<clickhouse>
  <profiles>
    <default>
      <output_format_parallel_formatting>0</output_format_parallel_formatting>
      <http_write_exception_in_output_format>1</http_write_exception_in_output_format>
      <send_progress_in_http_headers>1</send_progress_in_http_headers>
      <http_headers_progress_interval_ms>1</http_headers_progress_interval_ms>
      <input_format_skip_unknown_fields>1</input_format_skip_unknown_fields>
      <output_format_json_quote_64bit_integers>1</output_format_json_quote_64bit_integers>
    </default>
  </profiles>
  <quotas><default/></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</clickhouse>`;

describeWithOwnServers(['clickhouse'], 'a server of its own', () => {
  test('loses no row and reports every failure with an unsafe profile and a proxy that drops headers', async () => {
    const usersFile = join(temporaryFolder(), 'users.xml');
    writeFileSync(usersFile, HASTY);
    await using server = await startClickHouse({ usersFile });
    const audit = await opened(await discreetProxy(server.url));
    await audit.command('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n');
    await audit.insert('t', [{ n: 1 }]);
    expect(await audit.query('SELECT n FROM t', {}, counted)).toEqual([{ n: 1 }]);
    await expect(audit.insert('t', [{ n: 2, m: 3 }])).rejects.toMatchObject({ code: 'AUDIT_ROW_REFUSED' });

    const slowly = 'CONSTRAINT slowly CHECK sleepEachRow(0.01) = 0 AND n < 60';
    await audit.command(`CREATE TABLE slow (n UInt64, ${slowly}) ENGINE = MergeTree ORDER BY n`);
    const rows = Array.from({ length: 61 }, (_, n) => ({ n }));
    await expect(audit.insert('slow', rows)).rejects.toMatchObject({ code: 'AUDIT_ROW_REFUSED' });

    // The query fails after its answer has filled the buffer of the server. Without the settings of our client, the
    // server would have begun to answer.
    const breaking = 'SELECT number + throwIf(number = 400000) AS n FROM numbers(500000)';
    await expect(audit.query(breaking, {}, counted)).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('throwIf'),
    });
  });

  test('reports a failure of every call while the server hangs, and stores rows again afterwards', async () => {
    await using server = await startClickHouse();
    const audit = await opened(server.url, { timeoutMs: 2_000 });
    await audit.command('CREATE TABLE t (n UInt64) ENGINE = ReplacingMergeTree ORDER BY n');
    server.pause();
    const tried = [
      audit.ping(),
      audit.insert('t', [{ n: 1 }]),
      audit.query('SELECT 1 AS n', {}, counted),
      // There are more calls than sockets, so some calls wait for a socket. The timeout includes this wait.
      ...Array.from({ length: 20 }, () => audit.ping()),
    ];
    const became = await Promise.allSettled(tried);
    server.resume();
    for (const { status, reason } of became as PromiseRejectedResult[]) {
      expect({ status, code: reason?.code }).toEqual({ status: 'rejected', code: 'AUDIT_UNAVAILABLE' });
    }
    await waitUntil('it answers', () =>
      audit.ping().then(
        () => true,
        () => false,
      ),
    );
    await audit.insert('t', [{ n: 1 }]);
    expect(await audit.query('SELECT count() AS n FROM t FINAL', {}, counted)).toEqual([{ n: 1 }]);
  });

  test('serves the same client after it was killed and started again', async () => {
    await using server = await startClickHouse();
    const audit = await opened(server.url);
    await audit.command('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n');
    await audit.insert('t', [{ n: 1 }]);
    await server.kill();
    await expect(audit.insert('t', [{ n: 2 }])).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      retryable: true,
    });
    await server.restart();
    expect(await audit.query('SELECT n FROM t', {}, counted)).toEqual([{ n: 1 }]);
  });

  test('ends an aborted question', async () => {
    await using server = await startClickHouse();
    const audit = await opened(server.url, { timeoutMs: 500 });
    const endless = 'SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 0';
    await expect(audit.query(endless, {}, counted)).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    const admin = await opened(server.url);
    const told = await waitUntil('it is over', async () => {
      await admin.command('SYSTEM FLUSH LOGS');
      const [ended] = await admin.query(
        "SELECT exception FROM system.query_log WHERE query LIKE '%sipHash64(number) = 0%' AND type = 'ExceptionWhileProcessing'",
        {},
        z.object({ exception: z.string() }),
      );
      return ended?.exception;
    });
    expect(told).toContain('QUERY_WAS_CANCELLED');
  });
});
