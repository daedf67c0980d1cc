import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { nothingListens } from '../nothing-listens.ts';
import { describeWithOwnServers, describeWithServers, sharedServer } from '../with-servers.ts';
import { startRedis } from './start-redis.ts';
import { startRedisCluster } from './start-redis-cluster.ts';
import { startRedisSentinels } from './start-redis-sentinels.ts';

function connect(url: string): Redis {
  const client = new Redis(url);
  // The client reports each failed attempt to reconnect, after a test has ended its server. These errors are
  // expected.
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

describeWithServers(['redis'], 'the Redis of the run', () => {
  it('answers a command', async () => {
    expect(await connect(await sharedServer('redis')).ping()).toBe('PONG');
  });
});

describeWithOwnServers(['redis'], 'startRedis', () => {
  it('runs scripts with flags, and with the Lua libraries that they use', async () => {
    await using redis = await startRedis();
    const script = `#!lua flags=no-writes
      return { cjson.encode({ a = 1 }), cmsgpack.unpack(cmsgpack.pack(7)), bit.bor(1, 2) }`;
    expect(await connect(redis.url).eval(script, 0)).toEqual(['{"a":1}', 7, 3]);
  });

  it('keeps its data with appendonly, after SIGTERM and SIGKILL', async () => {
    await using redis = await startRedis({ appendonly: true, password: 'p@ss' });
    const client = connect(redis.url);
    await client.set('ended', 'kept');
    await redis.restart();
    await client.set('killed', 'kept');
    const { pid } = redis;
    await redis.kill();
    expect(() => redis.pid).toThrow('does not run');
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await client.mget('ended', 'killed')).toEqual(['kept', 'kept']);
  });

  it('accepts only clients with its password', async () => {
    await using redis = await startRedis({ password: 'p@ss' });
    await expect(connect(`redis://127.0.0.1:${redis.port}`).ping()).rejects.toThrow('NOAUTH');
  });

  it('answers nothing while paused', async () => {
    await using redis = await startRedis();
    const client = connect(redis.url);
    await client.ping();
    redis.pause();
    let answered = false;
    const answer = client.ping().then(() => {
      answered = true;
    });
    // Another server answers after the request was sent. So the paused server had enough time to answer.
    await using other = await startRedis();
    await connect(other.url).ping();
    expect(answered).toBe(false);
    redis.resume();
    await answer;
  });

  it('leaves no process and no files when stopped, even while paused', async () => {
    const redis = await startRedis();
    redis.pause();
    await redis.stop();
    expect(await nothingListens(redis.port)).toBe(true);
    expect(existsSync(redis.folder)).toBe(false);
  });

  it('throws the server’s own message if it does not start', async () => {
    await expect(startRedis({ config: { 'no-such-setting': '1' } })).rejects.toThrow('no-such-setting');
  });
});

describeWithOwnServers(['redis'], 'several Redis', () => {
  it('form a cluster', async () => {
    await using cluster = await startRedisCluster();
    const [first = ''] = cluster.urls;
    expect(await connect(first).cluster('INFO')).toContain('cluster_slots_ok:16384');
    const moved = cluster.urls.map((url) =>
      connect(url)
        .set('key', 'value')
        .catch((error: Error) => error.message),
    );
    expect((await Promise.all(moved)).filter((answer) => answer === 'OK')).toHaveLength(1);
  });

  it('replicate each other, and sentinels know the primary', async () => {
    await using sentinels = await startRedisSentinels();
    const primary = connect(sentinels.primary.url);
    await primary.set('key', 'value');
    await primary.wait(2, 10_000);
    for (const { url } of sentinels.replicas) expect(await connect(url).get('key')).toBe('value');
    expect(await sentinels.primaryNow()).toBe(sentinels.primary);
  });
});
