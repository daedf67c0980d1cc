/** Tests the ledger with the user of infra/redis/users.acl, on a Redis with infra/redis/redis.conf. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byLength, describeWithOwnServers, type RedisServer, startRedis } from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ledgerContract, ledgerHistories } from '../contract.ts';
import { makeOn } from './fresh-ledger.fixture.ts';

describeWithOwnServers(['redis'], 'under a user of its own', () => {
  const SETTINGS = join(import.meta.dirname, '../../../../infra/redis');

  const LEDGER = 'the-password-of-the-ledger';
  const OPERATOR = 'the-password-of-the-operator';

  let server: RedisServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mandate-test-'));
    const aclfile = join(folder, 'users.acl');
    const users = read('users.acl')
      .replace(`\${LEDGER_SHA256}`, sha256(LEDGER))
      .replace(`\${OPERATOR_SHA256}`, sha256(OPERATOR));
    writeFileSync(aclfile, users);
    const { port, bind, dir, ...config } = settingsOf(read('redis.conf'));
    server = await startRedis({ config: { ...config, aclfile } });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const make = makeOn(() => ({ url: as('ledger', LEDGER), namespace: `mandate:${randomUUID()}` }));

  ledgerContract('the Redis ledger as its own user', make);
  ledgerHistories('the Redis ledger as its own user', make, {
    numRuns: byLength({ short: 5, full: 20 }),
    maxLength: 30,
  });

  it('accepts no other user', async () => {
    await expect(connect(server.url).ping()).rejects.toThrow('NOAUTH');
    await expect(connect(as('ledger', OPERATOR)).ping()).rejects.toThrow('WRONGPASS');
  });

  it('gives the ledger access to its own keys, and to no command that could undo its writes', async () => {
    const ledger = connect(as('ledger', LEDGER));
    await expect(ledger.hset('others:key', 'a', '1')).rejects.toThrow('NOPERM');
    await expect(ledger.eval(`return redis.call('HSET', KEYS[1], 'a', 1)`, 1, 'others:key')).rejects.toThrow(
      /NOPERM|ACL failure/,
    );
    await expect(ledger.flushall()).rejects.toThrow('NOPERM');
    await expect(ledger.config('SET', 'maxmemory-policy', 'allkeys-lru')).rejects.toThrow('NOPERM');
    await expect(ledger.keys('*')).rejects.toThrow('NOPERM');
  });

  it('gives the ledger access to its own channels', async () => {
    const [publisher, subscriber] = [connect(as('ledger', LEDGER)), connect(as('ledger', LEDGER))];
    await subscriber.subscribe('mandate:kills');
    const message = once(subscriber, 'message');
    await publisher.publish('mandate:kills', 'stop');
    expect(await message).toEqual(['mandate:kills', 'stop']);
    await expect(publisher.publish('others', 'x')).rejects.toThrow('NOPERM');
    await expect(publisher.subscribe('others')).rejects.toThrow('NOPERM');
  });

  it('lets the operator read and change nothing', async () => {
    await connect(as('ledger', LEDGER)).hset('mandate:seen', 'a', '1');
    const operator = connect(as('operator', OPERATOR));
    expect(await operator.hgetall('mandate:seen')).toEqual({ a: '1' });
    expect(await operator.info('server')).toContain('run_id');
    expect(await operator.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    await expect(operator.hset('mandate:seen', 'a', '2')).rejects.toThrow('NOPERM');
    await expect(operator.eval('return 1', 0)).rejects.toThrow('NOPERM');
    await expect(operator.get('others:key')).rejects.toThrow('NOPERM');
  });

  function read(name: string): string {
    return readFileSync(join(SETTINGS, name), 'utf8');
  }

  /** Parses settings, one in each line, and returns them by name. */
  function settingsOf(text: string): Record<string, string> {
    const lines = text.split('\n').filter((line) => /^[a-z]/.test(line));
    return Object.fromEntries(
      lines.map((line) => {
        const [name = '', ...values] = line.split(' ');
        return [name, values.join(' ').replaceAll('"', '')];
      }),
    );
  }

  function as(user: string, password: string): string {
    return `redis://${user}:${password}@127.0.0.1:${server.port}`;
  }

  function connect(url: string): Redis {
    const client = new Redis(url);
    // The event may be ignored, because a refused connection also fails the command.
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  }

  function sha256(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }
});
