import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../logger.ts';
import { createMetrics } from '../metrics.ts';
import { turns } from '../turns.ts';
import { createHttpServer } from './create-http-server.ts';

const CROWD = 200;

test('a crowd from one address delays no caller from another', async () => {
  const server = await createHttpServer({
    service: 'test',
    version: '0',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: null,
    readiness: async () => [],
  });
  onTestFinished(() => server.close());
  server.get('/v1/anything', { config: { public: true } }, () => ({}));
  await server.ready();
  const answered: string[] = [];
  const ask = async (remoteAddress: string) => {
    const { statusCode } = await server.inject({ url: '/v1/anything', remoteAddress });
    answered.push(remoteAddress);
    expect(statusCode).toBe(200);
  };
  // The event loop is busy before the requests come, and it stays busy.
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      await turns.next(['work']);
      for (const beganMs = performance.now(); performance.now() - beganMs < 5; );
    }
  };
  const working = work();
  await Promise.all([...Array.from({ length: CROWD }, () => ask('10.0.0.2')), ask('10.0.0.1')]);
  isOver = true;
  await working;
  expect(answered).toHaveLength(CROWD + 1);
  expect(answered.indexOf('10.0.0.1')).toBeLessThan(CROWD / 2);
});
